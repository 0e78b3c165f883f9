// Workers: what they have, and when they were last heard of.
import { expect } from './browser.mjs';

export const workerTests = [
  [
    'a task that waits says why: no worker, a paused queue, a limit, its time',
    async ({ open, server, browser }) => {
      const id = await server.submit({ handler: 'lonely', queue: 'why' });
      const page = await open(`/ui/tasks/${id}`);
      await page.locator('[data-waits="no_worker"]').waitFor();
      await page.getByText(`semel work --url ${server.url} --queue why`).waitFor();
      await browser.shoot(page, 'task-waits');
      await browser.judge(page);

      await server.post('/v1/queues/why/pause');
      await page.reload();
      await page.locator('[data-waits="paused"]').getByText('paused').waitFor();

      await server.put('/v1/queues/why', { max_running: 1 });
      await server.post('/v1/worker/poll', { worker_id: 'why-1', queues: ['why'], max: 1, lease_ms: 600_000 });
      const next = await open(`/ui/tasks/${await server.submit({ handler: 'lonely', queue: 'why' })}`);
      await next.locator('[data-waits="full"]').waitFor();
      const later = await open(`/ui/tasks/${await server.submit({ handler: 'lonely', queue: 'why', delay: '1h' })}`);
      await later.locator('[data-waits="not_due"]').getByText('It is due in').waitFor();
    },
  ],
  [
    'a heartbeat and its progress are seen on the task, also when it has ended, and among the workers',
    async ({ open, server, browser }) => {
      const id = await server.submit({ handler: 'slow_import', queue: 'beats' });
      const { leases } = await server.post('/v1/worker/poll', { worker_id: 'beater', queues: ['beats'], lease_ms: 60_000 });
      const page = await open(`/ui/tasks/${id}`);
      await page.getByText('The lease ends').waitFor();
      expect((await page.locator('[data-heartbeat]').count()) === 0, 'nothing was heard of it yet');
      const workers = await open('/ui/workers');
      await workers.locator('[data-worker="beater"]').getByText('not since it began').waitFor();

      await server.post(`/v1/attempts/${leases[0].attempt_id}/heartbeat`, { progress: 0.4, message: 'half the rows' });
      const { last_heartbeat_at: heard } = (await server.get(`/v1/tasks/${id}`)).attempts[0];
      await page.reload();
      await page.locator(`[data-heartbeat] time[datetime="${heard}"]`).waitFor();
      await page.getByText('40% done: half the rows').waitFor();
      await workers.reload();
      const row = workers.locator('[data-worker="beater"]');
      await row.locator(`header time[datetime="${heard}"]`).waitFor();
      await row.locator(`td[data-name="Last heard of"] time[datetime="${heard}"]`).waitFor();
      await row.getByText('40% half the rows').waitFor();
      await browser.shoot(workers, 'workers-heartbeat');

      await server.post(`/v1/attempts/${leases[0].attempt_id}/complete`);
      await page.locator('[data-main-status] [data-status="completed"]').waitFor();
      await page.locator(`[data-heartbeat] time[datetime="${heard}"]`).waitFor();
      await browser.shoot(page, 'task-heartbeat');
    },
  ],
  [
    'everything that runs is read, page by page, whoever has it; a worker with many shows them on request',
    async ({ open, serve, browser }) => {
      const server = await serve();
      // Two pages of what runs, of which a worker has one task, the oldest of all.
      await server.submit({ handler: 'first', queue: 'crowd' });
      await server.post('/v1/worker/poll', { worker_id: 'crowd-old', queues: ['crowd'], max: 1, lease_ms: 600_000 });
      for (let i = 0; i < 12; ++i) await server.post('/v1/tasks:batch', { tasks: Array.from({ length: 100 }, () => ({ handler: 'crowd', queue: 'crowd' })) });
      await server.post('/v1/worker/poll', { worker_id: 'crowd-new', queues: ['crowd'], max: 1_000, lease_ms: 600_000 });
      const { leases } = await server.post('/v1/worker/poll', { worker_id: 'crowd-few', queues: ['crowd'], max: 200, lease_ms: 600_000 });

      const page = await open('/ui/workers', { server });
      await page.locator('[data-worker="crowd-old"]').getByText('1 task').waitFor();
      const many = page.locator('[data-worker="crowd-new"]');
      await many.getByText('1,000 tasks', { exact: false }).first().waitFor();
      expect((await many.locator('tbody tr').count()) === 10, 'ten of them are shown at first');
      await page.locator('[data-worker="crowd-few"]').getByText('200 tasks').first().waitFor();
      expect((await page.locator('[data-idle]').count()) === 0, 'none of them is without a task');
      expect((await page.getByText('More than').count()) === 0, 'nothing is left out');
      await many.getByRole('button', { name: 'All 1,000 tasks' }).press('Enter');
      await many.locator('tbody tr').nth(999).waitFor();
      await many.getByRole('button', { name: 'Only the newest 10' }).click();
      await browser.shoot(page, 'workers-many');

      await server.post('/v1/attempts:batch', { outcomes: leases.map(({ attempt_id }) => ({ attempt_id, complete: {} })) });
      await page.locator('[data-idle="crowd-few"]').waitFor();
      await page.getByRole('heading', { name: 'Without a task' }).waitFor();
    },
  ],
  [
    'with more running tasks than are looked at, that is said, and no worker is said to have none',
    async ({ open, serve }) => {
      const server = await serve();
      await server.submit({ handler: 'first', queue: 'crowd' });
      await server.post('/v1/worker/poll', { worker_id: 'crowd-old', queues: ['crowd'], max: 1, lease_ms: 600_000 });
      for (let i = 0; i < 5; ++i) {
        await server.post('/v1/tasks:batch', { tasks: Array.from({ length: 1_000 }, () => ({ handler: 'crowd', queue: 'crowd' })) });
        await server.post('/v1/worker/poll', { worker_id: 'crowd-new', queues: ['crowd'], max: 1_000, lease_ms: 600_000 });
      }
      const page = await open('/ui/workers', { server });
      await page.getByText('More than 5,000 tasks run').waitFor();
      await page.locator('[data-worker="crowd-new"]').getByText('5,000 tasks').first().waitFor();
      await page.locator('[data-idle="crowd-old"]').waitFor();
      await page.getByRole('heading', { name: 'Others that have asked for work' }).waitFor();
      expect((await page.getByRole('heading', { name: 'Without a task' }).count()) === 0, 'it is said to have none');
    },
  ],
];
