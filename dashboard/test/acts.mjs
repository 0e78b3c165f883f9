// What is done to one thing on its own page.
import { expect } from './browser.mjs';

const confirm = (page, text) => page.getByRole('dialog').getByRole('button', { name: text }).click();

export const actTests = [
  [
    'a queue is paused on its own page, which says what its burst is',
    async ({ open, server }) => {
      await server.put('/v1/queues/brake', { rate_limit: '100/min' });
      const page = await open('/ui/queues/brake');
      await page.locator('[data-setting="rate_burst"]').getByText('what the rate gives in 100 ms, or 1').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('The queue is paused.').waitFor();
      expect((await server.get('/v1/queues/brake')).paused, 'the server was not told');
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('The queue goes on.').waitFor();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
    },
  ],
  [
    'a running task is asked to stop, and its worker is told',
    async ({ open, server }) => {
      const id = await server.submit({ handler: 'stoppable', queue: 'stoppable' });
      const { leases } = await server.post('/v1/worker/poll', { worker_id: 'stopper', queues: ['stoppable'] });
      const page = await open(`/ui/tasks/${id}`);
      await page.getByRole('button', { name: 'Cancel…' }).click();
      await page.getByRole('dialog').getByText('What runs is asked to stop').waitFor();
      await confirm(page, 'Cancel it');
      await page.getByText('asked to stop', { exact: true }).waitFor();
      await page.locator('[data-main-status] [data-status="running"]').waitFor();
      expect((await server.post(`/v1/attempts/${leases[0].attempt_id}/heartbeat`)).should_cancel, 'its worker hears nothing of it');
      await server.post(`/v1/attempts/${leases[0].attempt_id}/fail`, { error: { type: 'STOPPED', message: 'as asked' } });
      await page.locator('[data-main-status] [data-status="cancelled"]').waitFor();
    },
  ],
  [
    'the identity of an open task is released after a question that says so',
    async ({ open, server }) => {
      const task = { handler: 'nobody', queue: 'let-go', idempotency_key: 'let-go-1' };
      const id = await server.submit(task);
      await server.post('/v1/tasks', task, { expect: [409] });
      const page = await open(`/ui/tasks/${id}`);
      const panel = page.getByRole('region', { name: 'Identity' });
      await panel.getByRole('button', { name: 'Release…' }).click();
      await page.getByRole('dialog').getByText('The task is still open.').waitFor();
      await confirm(page, 'Release it');
      await panel.getByText('Released by hand').waitFor();
      expect((await server.submit(task)) !== id, 'it is held still');
    },
  ],
  [
    'an open holder is not released by its hash, and what to do is said',
    async ({ open, server }) => {
      const id = await server.submit({ handler: 'nobody', queue: 'let-go', idempotency_key: 'let-go-2' });
      const { hash } = (await server.get(`/v1/tasks/${id}`)).identity;
      const page = await open(`/ui/identity?hash=${hash}`, { allowed: [409] });
      await page.getByRole('button', { name: 'Release…' }).click();
      await confirm(page, 'Release it');
      await page.getByText('Wait until it closes, or cancel it').waitFor();
    },
  ],
  [
    'attempts after a retry by hand are counted in all, not as more than there may be',
    async ({ open, server }) => {
      const id = await server.submit({ handler: 'twice', queue: 'twice', max_attempts: 1 });
      server.work(['twice'], server.script('die.sh', 'exit 1'));
      const page = await open(`/ui/tasks/${id}`);
      await page.locator('[data-attempts]').getByText('1 of 1', { exact: true }).waitFor();
      await server.post(`/v1/tasks/${id}/retry`);
      server.work(['twice'], server.script('die.sh', 'exit 1'));
      await page.locator('[data-attempts]').getByText('2 in all; up to 1 each time it is tried').waitFor();
    },
  ],
  [
    'a schedule that the server cannot read says why it does not fire',
    async ({ open, server, browser }) => {
      const page = await open('/ui/schedules');
      await page.route('**/v1/schedules/morning-report', async (route) => {
        const { cron, time_zone, task, ...left } = await (await route.fetch()).json();
        await route.fulfill({ json: { ...left, unreadable: `the zone ${time_zone} is not known`, upcoming: [] } });
      });
      await page.goto(`${server.url}/ui/schedules/morning-report`);
      await page.locator('[data-unreadable]').getByText('the zone Europe/Lisbon is not known').waitFor();
      expect((await page.getByText('its time is over').count()) === 0, 'its time is not over');
      await browser.shoot(page, 'schedule-unreadable');
    },
  ],
];
