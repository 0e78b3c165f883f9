// Workers: what they have, and when they were last heard of.
import { expect } from './browser.mjs';
import { Server } from './server.mjs';

export const workerTests = [
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
    'with more running tasks than are looked at, no worker is said to have none',
    async ({ open }) => {
      const server = await Server.start();
      try {
        await server.post('/v1/tasks:batch', { tasks: Array.from({ length: 101 }, () => ({ handler: 'crowd', queue: 'crowd' })) });
        await server.post('/v1/worker/poll', { worker_id: 'crowd-old', queues: ['crowd'], max: 1 });
        const page = await open('/ui/workers', { server });
        await page.locator('[data-worker="crowd-old"]').waitFor();
        await server.post('/v1/worker/poll', { worker_id: 'crowd-new', queues: ['crowd'], max: 100 });
        await page.reload();
        await page.locator('[data-idle="crowd-old"]').waitFor();
        await page.getByRole('heading', { name: 'Others that have asked for work' }).waitFor();
        expect((await page.getByRole('heading', { name: 'Without a task' }).count()) === 0, 'it is said to have none');
      } finally {
        await server.stop();
      }
    },
  ],
];
