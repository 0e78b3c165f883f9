// The overview, which counts while it is looked at.
import { expect, expectText } from './browser.mjs';

const figure = (page, name) => page.locator(`[data-figure="${name}"]`);
const number = async (page, name) => Number((await figure(page, name).textContent()).replaceAll(',', ''));

export const manageTests = [
  [
    'the overview counts duplicates and creations as they happen, over an hour and a day',
    async ({ open, server }) => {
      const page = await open('/');
      await expectText(page.locator('.stream'), 'Live');
      const [created, duplicates] = [await number(page, 'Created'), await number(page, 'Duplicates prevented')];
      expect(created > 30 && duplicates >= 10, `${created} created, ${duplicates} duplicates`);
      const task = { handler: 'counted', queue: 'counted', idempotency_key: 'counted-1' };
      await server.submit(task);
      await server.post('/v1/tasks', task, { expect: [409] });
      await server.submit({ ...task, idempotency_key: 'counted-2' });
      await figure(page, 'Created').getByText((created + 2).toLocaleString('en-US'), { exact: true }).waitFor();
      await figure(page, 'Duplicates prevented').getByText((duplicates + 1).toLocaleString('en-US'), { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Day' }).click();
      await page.getByText('in ten minutes').waitFor();
      await figure(page, 'Created').getByText((created + 2).toLocaleString('en-US'), { exact: true }).waitFor();
      await page.locator('.uplot canvas').waitFor();
    },
  ],
  [
    'the overview tells latencies, how full queues are, what runs and what has failed',
    async ({ open, serve, browser }) => {
      const server = await serve();
      for (const queue of ['quick', 'quick', 'bars', 'bars', 'bars']) await server.submit({ handler: 'any', queue });
      const broken = await server.submit({ handler: 'broken', queue: 'broken', max_attempts: 1 });
      server.work(['quick'], server.script('fine.sh', 'echo 1'));
      server.work(['broken'], server.script('die.sh', 'exit 1'));
      const [lease] = (await server.post('/v1/worker/poll', { worker_id: 'barman', queues: ['bars'] })).leases;

      const page = await open('/', { server });
      const latency = page.getByRole('table', { name: 'Latencies' });
      for (const name of ['due → taken by a worker', 'first start → completed', 'commit on disk'])
        for (const at of [1, 2]) await latency.getByRole('row', { name }).getByRole('cell').nth(at).getByText(/^\d+(\.\d)? (ms|s)$/).waitFor();
      await page.getByText('of the newest 2 completed tasks').waitFor();
      const bars = page.locator('li').filter({ has: page.getByRole('link', { name: 'bars', exact: true }) });
      await bars.locator('[title="1 running, 2 ready, 0 waiting, 0 blocked"]').getByText('3', { exact: true }).waitFor();
      const [running, ready] = [await bars.locator('.bar i').nth(0).boundingBox(), await bars.locator('.bar i').nth(1).boundingBox()];
      expect(running.width > 10 && Math.abs(ready.width - 2 * running.width) < 3, `${running.width} and ${ready.width} wide`);
      await bars.getByText(/\d+ (ms|s)$/).waitFor();
      await figure(page, 'Running now').getByText('1', { exact: true }).waitFor();
      await page.getByText('2 waiting').waitFor();
      await page.getByRole('table', { name: 'Running tasks' }).locator(`tr[data-task="${lease.task_uuid}"]`).waitFor();
      await figure(page, 'Failed').getByText('1', { exact: true }).waitFor();
      await page.getByRole('table', { name: 'Newest failures' }).locator(`tr[data-task="${broken}"]`).waitFor();
      await browser.shoot(page, 'overview-figures');
    },
  ],
  [
    'queues tell what goes through them, as it happens: the last minute in a number, the last hour as a line and by minutes',
    async ({ open, serve, browser }) => {
      const server = await serve();
      for (let i = 0; i < 12; ++i) await server.submit({ handler: 'any', queue: 'quick', max_attempts: 1 });
      server.work(['quick'], server.script('fine.sh', 'echo 1'));
      for (let i = 0; i < 2; ++i) await server.submit({ handler: 'any', queue: 'quick', max_attempts: 1 });
      const page = await open('/ui/queues', { server });
      const row = page.locator('[data-queue="quick"]');
      await row.locator('[data-rate="completed"]').getByText('12/min', { exact: true }).waitFor();
      expect((await row.locator('[data-rate="failed"]').count()) === 0, 'nothing has failed yet');
      await row.getByRole('img', { name: /In the last hour 14 tasks created, 12 attempts started, 12 completed, 0 failed/ }).waitFor();

      server.work(['quick'], server.script('die.sh', 'exit 1')); // the queue is empty then, and still there
      await row.locator('[data-rate="failed"]').getByText('2/min failed', { exact: true }).waitFor();
      await row.locator('[data-name="Ready"]').getByText('0', { exact: true }).waitFor();
      await browser.shoot(page, 'queues-rates');

      await row.getByRole('link', { name: 'quick' }).click();
      const rates = page.getByRole('table', { name: 'Throughput' });
      await rates.locator('[data-rate="created"] td').first().waitFor();
      for (const [what, minute, hour] of [['created', '14/min', '14'], ['started', '14/min', '14'], ['completed', '12/min', '12'], ['failed', '2/min', '2'], ['retried', '0/min', '0']]) {
        const cells = rates.locator(`[data-rate="${what}"] td`);
        expect((await cells.allTextContents()).join(' ') === `${minute} ${hour}`, `${what}: ${await cells.allTextContents()}`);
      }
      await page.locator('.uplot canvas').waitFor();
      await browser.shoot(page, 'queue-throughput');
    },
  ],
];
