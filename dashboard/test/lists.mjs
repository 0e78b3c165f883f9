// Lists that others rely on: while much happens, of dead letters, and what a question counts.
import { expect } from './browser.mjs';

const confirm = (page, text) => page.getByRole('dialog').getByRole('button', { name: text }).click();

export const listTests = [
  [
    'a list that is read slowly is shown although something happens all the time',
    async ({ open, server }) => {
      const id = await server.submit({ handler: 'slow_read', queue: 'slow-read' });
      const page = await open('/');
      await page.locator('.stream', { hasText: 'Live' }).waitFor();
      const held = [];
      const asked = new Promise((heard) => void page.route('**/v1/tasks?status=running*', (route) => heard(held.push(route))));
      const { leases } = await server.post('/v1/worker/poll', { worker_id: 'slow-reader', queues: ['slow-read'] });
      await asked;
      // What the page is told of meanwhile it reads the figures for; the list, which has no answer yet, is not asked for again.
      for (let i = 0; i < 2; ++i) {
        const figures = page.waitForRequest(/\/v1\/overview/);
        await server.submit({ handler: 'meanwhile', queue: 'meanwhile' });
        await figures;
      }
      expect(held.length === 1, `it was asked for ${held.length} times`);
      await held[0].continue();
      await page.getByRole('table', { name: 'Running tasks' }).locator(`tr[data-task="${id}"]`).waitFor();
      await server.post(`/v1/attempts/${leases[0].attempt_id}/complete`);
    },
  ],
  [
    'dead letters of a workflow of code are found, and those of a run; neither is one of a handler with its name',
    async ({ open, serve, browser }) => {
      const server = await serve();
      const code = () => ({ error: { type: 'NO', message: 'it will not do' } });
      server.run_code({ id: 'dead-coder', queues: ['dead-code'], workflows: ['die'], handlers: [], code });
      const id = (await server.post('/v1/workflows', { kind: 'die', workflow_id: 'die-1', queue: 'dead-code' })).workflow_execution_id;
      await server.until(`/v1/tasks/${id}`, (task) => task.status === 'failed');
      await server.put('/v1/templates', { namespace: 'dead', name: 'die', version: '1.0.0', max_attempts: 1, steps: [{ name: 'a', handler: 'die' }, { name: 'b', handler: 'die', depends_on: ['a'] }] });
      const run = await server.submit({ namespace: 'dead', name: 'die', queue: 'dead-run' });
      server.work(['dead-run'], server.script('die.sh', 'exit 1'));
      await server.until(`/v1/tasks/${run}`, (task) => task.status === 'failed');

      const page = await open('/ui/dead-letters', { server });
      await page.getByRole('link', { name: 'workflow die 1' }).click();
      await page.locator(`tr[data-task="${id}"]`).waitFor();
      await page.getByText('1 in all').waitFor();
      expect((await page.getByRole('button', { name: /Redrive/ }).count()) === 0, 'code is not tried again');
      await browser.shoot(page, 'dead-code');
      await page.getByRole('link', { name: 'workflow dead/die 1' }).click();
      await page.locator(`tr[data-task="${run}"]`).waitFor();
      await page.getByText('1 in all').waitFor();
      await page.getByRole('link', { name: /^die \d/ }).click();
      await page.getByRole('button', { name: 'Redrive all of die' }).waitFor();
      await page.locator(`tr[data-task="${run}"]`).waitFor({ state: 'detached' });
    },
  ],
  [
    'a question counts only what can be done',
    async ({ open, server }) => {
      const labels = { batch: 'countable' };
      const id = await server.submit({ handler: 'countable', queue: 'countable', labels, max_attempts: 1 });
      server.work(['countable'], server.script('die.sh', 'exit 1'));
      await server.post('/v1/promises', { idempotency_key: 'countable', labels });
      await server.post('/v1/promises:reject', { key: 'countable', error: { type: 'NO', message: 'no' } });
      const page = await open('/ui/tasks?label=batch%3Dcountable&status=failed');
      await page.getByText('2 in all').waitFor();
      await page.getByRole('button', { name: 'Retry all matching' }).click();
      await confirm(page, 'Retry 1 task');
      await page.getByText('1 task back in their queues.').waitFor();
      await server.until(`/v1/tasks/${id}`, (task) => task.status === 'pending');
    },
  ],
];
