// Lists and single tasks: filters, paging, acting on one and on all, what is live.
import { expect, expectText } from './browser.mjs';

const rows = (page) => page.locator('tr[data-task]');
const confirm = (page, text) => page.getByRole('dialog').getByRole('button', { name: text }).click();

export const taskTests = [
  [
    'filters are in the address, and count what fits',
    async ({ open, server }) => {
      const page = await open('/ui/tasks');
      await rows(page).first().waitFor();
      await page.getByLabel('Label').fill('team=growth');
      await page.getByLabel('Label').press('Enter');
      await page.getByText('12 in all').waitFor();
      await page.getByRole('button', { name: 'completed', exact: true }).click();
      await page.getByLabel('Queue').fill('mail');
      await page.getByLabel('Queue').press('Enter');
      await page.waitForURL(/status=completed.*queue=mail|queue=mail.*status=completed/);
      await page.getByText('12 in all').waitFor();
      await page.getByRole('button', { name: 'failed', exact: true }).click();
      await page.getByRole('button', { name: 'completed', exact: true }).click();
      await page.getByText('Nothing fits these filters').waitFor();
      await page.getByRole('button', { name: 'Clear all filters' }).first().click();
      await rows(page).first().waitFor();
      await page.goto(`${server.url}/ui/tasks?template=ops%2Freport`);
      await page.getByText('1 in all').waitFor();
      await page.goto(`${server.url}/ui/tasks?handler=fetch_rates&within=1h`);
      await page.getByText('4 in all').waitFor();
      const asked = page.waitForRequest((request) => request.url().includes('/v1/tasks?'));
      await page.getByLabel('Created').selectOption('15m');
      const since = new URL((await asked).url()).searchParams.get('created_after');
      expect(Math.abs(Date.now() - 900_000 - Date.parse(since)) < 600_000, `asked for what was created after ${since}`);
    },
  ],
  [
    'pages follow each other, older and back',
    async ({ open, server }) => {
      const tasks = Array.from({ length: 120 }, (_, i) => ({ handler: 'count_me', queue: 'many', idempotency_key: `many-${i}` }));
      await server.post('/v1/tasks:batch', { tasks });
      const page = await open('/ui/tasks?queue=many');
      await page.getByText('120 in all').waitFor();
      await page.getByText('many-119', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Older' }).click();
      await page.getByText('many-69', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Older' }).click();
      await page.getByText('many-19', { exact: true }).waitFor();
      expect((await rows(page).count()) === 20, 'the last page has 20');
      expect(await page.getByRole('button', { name: 'Older' }).isDisabled(), 'there is nothing older');
      await page.getByRole('button', { name: 'Newer' }).click();
      await page.getByText('many-69', { exact: true }).waitFor();
    },
  ],
  [
    'all that match are acted on, after a question that counts them',
    async ({ open, server, browser }) => {
      const tasks = Array.from({ length: 30 }, (_, i) => ({ handler: 'bulk_me', queue: 'bulk', idempotency_key: `bulk-${i}` }));
      await server.post('/v1/tasks:batch', { tasks });
      const page = await open('/ui/tasks?queue=bulk');
      await page.getByText('30 in all').waitFor();
      await page.getByRole('button', { name: 'Cancel all matching' }).click();
      await page.getByRole('heading', { name: 'Cancel 30 tasks?' }).waitFor();
      await browser.shoot(page, 'confirm', false);
      await browser.judge(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
      expect((await server.get('/v1/tasks:count?queue=bulk&status=pending')).count === 30, 'declined, and done all the same');
      await page.getByRole('button', { name: 'Cancel all matching' }).click();
      await confirm(page, 'Cancel 30 tasks');
      await page.getByText('30 tasks cancelled or asked to stop.').waitFor();
      await page.goto(`${server.url}/ui/tasks?queue=bulk&status=cancelled`);
      await page.getByText('30 in all').waitFor();
      await page.getByRole('button', { name: 'Retry all matching' }).click();
      await confirm(page, 'Retry 30 tasks');
      await page.getByText('30 tasks back in their queues.').waitFor();
      await page.goto(`${server.url}/ui/queues/bulk`);
      await page.getByRole('button', { name: 'Cancel all waiting' }).click();
      await confirm(page, 'Cancel 30 tasks');
      await page.getByText('30 tasks cancelled').waitFor();
      await page.goto(`${server.url}/ui/tasks?queue=bulk&status=cancelled`);
      await page.getByRole('button', { name: 'Delete all matching' }).click();
      await confirm(page, 'Delete 30 tasks');
      await page.getByText('Nothing fits these filters').waitFor();
    },
  ],
  [
    'a task changes on the page while it changes in the server',
    async ({ open, server }) => {
      const list = await open('/ui/tasks?queue=live');
      await list.getByText('Nothing fits these filters').waitFor();
      await expectText(list.locator('.stream'), 'Live');
      const id = await server.submit({ handler: 'slow', queue: 'live', idempotency_key: 'live-1' });
      await list.locator(`tr[data-task="${id}"] [data-status="pending"]`).waitFor();

      const page = await open(`/ui/tasks/${id}`);
      await page.getByText('It waits in').waitFor();
      const gate = server.gate('gate');
      const worker = server.employ(['live'], server.script('slow.sh', 'cat gate; echo \'{"parcel": 17}\''), ['--worker-id', 'slow-1']);
      await page.locator('[data-main-status] [data-status="running"]').waitFor();
      await page.getByText('slow-1').waitFor();
      await list.locator(`tr[data-task="${id}"] [data-status="running"]`).waitFor();
      const workers = await open('/ui/workers');
      await workers.locator('[data-worker="slow-1"]').getByText('slow', { exact: true }).waitFor();
      await workers.locator('[data-worker="slow-1"]').getByText(/1 task, asked for work/).waitFor();
      await gate.open();
      await page.locator('[data-main-status] [data-status="completed"]').waitFor();
      await page.getByRole('region', { name: 'Result' }).getByText('17').waitFor();
      await list.locator(`tr[data-task="${id}"] [data-status="completed"]`).waitFor();
      await workers.getByText('No worker has a task').waitFor();
      worker.kill('SIGTERM');
    },
  ],
  [
    'one task is cancelled, and tried again',
    async ({ open, server }) => {
      const id = await server.submit({ handler: 'nobody', queue: 'single', idempotency_key: 'single-1' });
      const page = await open(`/ui/tasks/${id}`);
      await page.getByRole('button', { name: 'Cancel…' }).click();
      await confirm(page, 'Cancel it');
      await page.locator('[data-main-status] [data-status="cancelled"]').waitFor();
      await page.getByRole('button', { name: 'Retry…' }).click();
      await confirm(page, 'Try again');
      await page.locator('[data-main-status] [data-status="pending"]').waitFor();
    },
  ],
  [
    'a running task is ended without its worker',
    async ({ open, server }) => {
      const id = await server.submit({ handler: 'stuck', queue: 'stuck' });
      await server.post('/v1/worker/poll', { worker_id: 'gone', queues: ['stuck'] });
      const page = await open(`/ui/tasks/${id}`);
      await page.getByRole('button', { name: 'End now…' }).click();
      await confirm(page, 'End it now');
      await page.locator('[data-main-status] [data-status="cancelled"]').waitFor();
    },
  ],
  [
    'attempts show their errors, and both identifiers of each dispatch',
    async ({ open, made }) => {
      const page = await open(`/ui/tasks/${made.failed}`);
      await page.locator('li', { hasText: '#2' }).getByText('the exchange closed the connection').waitFor();
      await page.getByText('Identifiers of the dispatch').first().click();
      await page.getByText(/^dispatch:.*:fetch_rates:1$/).waitFor();
      await page.getByText(/^d_[A-Za-z0-9_-]+$/).first().waitFor();
    },
  ],
  [
    'dead letters are driven back, all of one handler',
    async ({ open, server }) => {
      for (const handler of ['dead_a', 'dead_b']) {
        await server.submit({ handler, queue: 'dead', max_attempts: 1 });
        await server.submit({ handler, queue: 'dead', max_attempts: 1 });
      }
      server.work(['dead'], server.script('die.sh', 'exit 1'));
      const page = await open('/ui/dead-letters');
      await page.getByRole('link', { name: 'dead_a 2' }).click();
      await page.getByText('2 in all').waitFor();
      await page.getByRole('button', { name: 'Redrive all of dead_a' }).click();
      await confirm(page, 'Retry 2 tasks');
      await page.getByText('Nothing is dead').waitFor();
      expect((await server.get('/v1/tasks:count?queue=dead&status=pending')).count === 2, 'they were not driven back');
      expect((await server.get('/v1/tasks:count?queue=dead&status=failed')).count === 2, 'the others were driven back too');
    },
  ],
  [
    'dead letters are deleted, all of one handler',
    async ({ open, server }) => {
      for (const handler of ['gone_a', 'gone_a', 'gone_b']) await server.submit({ handler, queue: 'gone', max_attempts: 1 });
      server.work(['gone'], server.script('die.sh', 'exit 1'));
      const page = await open('/ui/dead-letters?handler=gone_a');
      await page.getByText('2 in all').waitFor();
      await page.getByRole('button', { name: 'Delete all of gone_a' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Back' }).click();
      expect((await server.get('/v1/tasks:count?handler=gone_a')).count === 2, 'declined, and deleted all the same');
      await page.getByRole('button', { name: 'Delete all of gone_a' }).click();
      await confirm(page, 'Delete 2 tasks');
      await page.getByText('Nothing is dead').waitFor();
      expect((await server.get('/v1/tasks:count?handler=gone_a')).count === 0, 'they are still there');
      expect((await server.get('/v1/tasks:count?handler=gone_b')).count === 1, 'the other was deleted too');
    },
  ],
  [
    'a count that was not counted to its end says so',
    async ({ open }) => {
      const page = await open('/ui/tasks');
      await page.route('**/v1/tasks:count**', (route) => route.fulfill({ json: { count: 10_000, is_exact: false } }));
      await page.reload();
      await page.getByText('10,000+ in all').waitFor();
    },
  ],
];
