// Workflows that are written as code, and promises.
import { expect } from './browser.mjs';
import { processOrder } from './code_worker.mjs';

const confirm = (page, text) => page.getByRole('dialog').getByRole('button', { name: text }).click();

export const codeTests = [
  [
    'a workflow of code is followed from its start to its end: status, promise, child, history',
    async ({ open, server, browser }) => {
      const start = { kind: 'process_order', workflow_id: 'watched-order', queue: 'watched-code', input: { order: 'watched' } };
      const id = (await server.post('/v1/workflows', start)).workflow_execution_id;
      const page = await open(`/ui/tasks/${id}`);
      await page.getByRole('heading', { name: 'process_order' }).waitFor();
      await page.getByText('No worker that has its code has asked for it yet.').waitFor();
      server.run_code({ id: 'watched-coder', queues: ['watched-code'], workflows: ['process_order'], handlers: ['charge_card'], code: processOrder });
      await page.locator('[data-main-status] [data-status="suspended"]').waitFor();
      await page.getByRole('region', { name: 'Status' }).getByText('waiting for approval').waitFor();
      await page.getByText('timer #2').waitFor();
      await page.getByRole('link', { name: 'charge_card#1' }).waitFor();
      await page.getByText('promise created').waitFor();
      await browser.shoot(page, 'code-live');

      await page.getByLabel('Signal', { exact: true }).fill('note');
      await page.getByLabel('Value (JSON, optional)').fill('{"by": ');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('This is not JSON').waitFor();
      await page.getByLabel('Value (JSON, optional)').fill('{"by": "phone"}');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('It has received the signal.').waitFor();
      await page.getByText('signal received').waitFor();

      await page.locator('[data-promise]').getByRole('button', { name: 'Resolve…' }).click();
      await page.getByLabel('Value (JSON)', { exact: true }).fill('{"approved": true}');
      await confirm(page, 'Resolve');
      await page.getByRole('region', { name: 'Status' }).getByText('packing').waitFor();
      await page.getByRole('region', { name: 'Workflows it has begun' }).getByRole('link', { name: /pack-/ }).click();
      await page.getByRole('heading', { name: 'pack', exact: true }).waitFor();
      await page.getByText('Part of').waitFor();
      server.run_code({ id: 'packer', queues: ['watched-code'], workflows: ['pack'], handlers: [], code: () => ({ result: 'packed' }) });
      await page.locator('[data-main-status] [data-status="completed"]').waitFor();
      await page.getByRole('link', { name: 'a workflow' }).click();
      await page.locator('[data-main-status] [data-status="completed"]').waitFor();
      await page.getByRole('region', { name: 'Result' }).getByText('shipped').waitFor();
    },
  ],
  [
    'a promise that a workflow waits for is seen behind hundreds of its tasks',
    async ({ open, server }) => {
      const commands = [['promise', 'far-away'], ...Array.from({ length: 520 }, (_, i) => ['task', 'nobody_does_it', { i }])];
      server.run_code({ id: 'many-coder', queues: ['many-code'], workflows: ['begin_many'], handlers: [], code: (events) => (events.at(-1).kind === 'run_started' ? { commands } : {}) });
      const id = (await server.post('/v1/workflows', { kind: 'begin_many', workflow_id: 'begin-many', queue: 'many-code' })).workflow_execution_id;
      await server.until(`/v1/workflows/${id}`, (workflow) => workflow.open_children === 521);
      const page = await open(`/ui/tasks/${id}`);
      await page.getByRole('region', { name: 'What it waits for' }).getByText('far-away').waitFor();
      await page.locator('[data-promise]').getByRole('button', { name: 'Resolve…' }).click();
      await page.getByLabel('Value (JSON)', { exact: true }).fill('1');
      await confirm(page, 'Resolve');
      await page.locator('[data-promise]').waitFor({ state: 'detached' });
    },
  ],
  [
    'a history is read on to its end, and of what it has begun the newest are drawn, by their keys',
    async ({ open, server, browser }) => {
      const commands = [...Array.from({ length: 520 }, (_, i) => ['task', 'nobody_does_it', { i }]), ['promise', 'long-story']];
      server.run_code({ id: 'long-coder', queues: ['long-code'], workflows: ['tell_long'], handlers: [], code: (events) => (events.at(-1).kind === 'run_started' ? { commands } : {}) });
      const id = (await server.post('/v1/workflows', { kind: 'tell_long', workflow_id: 'tell-long', queue: 'long-code' })).workflow_execution_id;
      await server.until(`/v1/workflows/${id}`, (workflow) => workflow.open_children === 521);
      const page = await open(`/ui/tasks/${id}`);
      const events = page.getByRole('list', { name: 'Events of the run' }).getByRole('listitem');
      await page.getByText('500+ events').waitFor();
      expect((await events.count()) === 500, 'a page has 500');
      await page.getByRole('button', { name: 'More events' }).click();
      await page.getByText('522 events').waitFor(); // it was started, and has begun 521
      expect((await events.last().textContent()).includes('promise created'), await events.last().textContent());
      await page.getByRole('button', { name: 'More events' }).waitFor({ state: 'detached' });
      await page.getByText('The newest 200 are shown').waitFor();
      const bars = page.locator('.gantt .row-line:has(.track)');
      expect((await bars.count()) === 200, `${await bars.count()} bars`);
      await bars.last().getByRole('link', { name: 'long-story', exact: true }).waitFor();
      await browser.shoot(page, 'history-more');
      await page.goto(`${server.url}/ui/tasks?parent=${id}`);
      await page.getByRole('row', { name: /long-story/ }).waitFor();
      expect((await page.getByText('promise#521').count()) === 0, 'nobody knows it by this');
    },
  ],
  [
    'a workflow’s promise is rejected on its page',
    async ({ open, server }) => {
      server.run_code({ id: 'refused-coder', queues: ['refused-code'], workflows: ['ask_once'], handlers: [], code: (events) => (events.at(-1).kind === 'run_started' ? { commands: [['promise', 'ask-once-answer']] } : { result: 'refused' }) });
      const id = (await server.post('/v1/workflows', { kind: 'ask_once', workflow_id: 'ask-once', queue: 'refused-code' })).workflow_execution_id;
      const page = await open(`/ui/tasks/${id}`);
      await page.locator('[data-promise]').getByRole('button', { name: 'Reject…' }).click();
      await page.getByLabel('Why').fill('not this time');
      await confirm(page, 'Reject');
      await page.locator('[data-main-status] [data-status="completed"]').waitFor();
      const [{ task_uuid: promised }] = (await server.get(`/v1/tasks?parent=${id}&kind=promise`)).tasks;
      const promise = await server.get(`/v1/tasks/${promised}`);
      expect(promise.status === 'failed' && promise.error.message === 'not this time', JSON.stringify(promise));
    },
  ],
  [
    'workflows are found by a text in what they were given, and all that match are acted on',
    async ({ open, server, browser }) => {
      for (const name of ['Ada', 'Ada', 'Bob']) await server.post('/v1/workflows', { kind: 'greet', workflow_id: `greet-${crypto.randomUUID()}`, queue: 'greetings', input: { to: { name } } });
      const page = await open('/ui/workflows?queue=greetings');
      await page.getByText('3 in all').waitFor();
      await page.getByLabel('Text in the context').fill('Ada');
      await page.getByLabel('Text in the context').press('Enter');
      await page.getByText('2 in all').waitFor();
      await page.getByLabel('… at this path').fill('/to/name');
      await page.getByLabel('… at this path').press('Enter');
      await page.waitForURL(/path=%2Fto%2Fname/);
      await browser.shoot(page, 'workflows-found');
      await page.getByRole('button', { name: 'Cancel all matching' }).click();
      await confirm(page, 'Cancel 2 tasks');
      await page.getByText('2 tasks cancelled or asked to stop.').waitFor();
      expect((await server.get('/v1/tasks:count?queue=greetings&kind=workflow&status=cancelled')).count === 2, 'others were cancelled too, or none');
      await page.getByRole('button', { name: 'Clear all filters' }).first().click();
      await page.getByRole('button', { name: 'Completed' }).click();
      expect((await page.getByRole('button', { name: 'Cancel all matching' }).count()) === 0, 'what is completed cannot be cancelled');
    },
  ],
  [
    'workflows are filtered by state, template, kind and queue, as their address says',
    async ({ open, server, made }) => {
      const page = await open('/ui/workflows');
      await page.locator(`tr[data-task="${made.order}"]`).waitFor();
      await page.getByLabel('Template').fill('shop/refund');
      await page.getByLabel('Template').press('Enter');
      await page.locator(`tr[data-task="${made.refund}"]`).waitFor();
      await page.locator(`tr[data-task="${made.order}"]`).waitFor({ state: 'detached' });
      await page.waitForURL(/template=shop%2Frefund/);
      await page.getByRole('button', { name: 'Completed' }).click();
      await page.getByText('No workflow is like this').waitFor();
      await page.getByRole('button', { name: 'Clear all filters' }).first().click();
      await page.locator(`tr[data-task="${made.order}"]`).waitFor();
      await page.goto(`${server.url}/ui/workflows?handler=process_order&queue=code&within=1h`);
      await page.locator(`tr[data-task="${made.workflow}"]`).waitFor();
      await page.getByText('1 in all').waitFor();
    },
  ],
  [
    'a promise is rejected with a reason, another resolved, and each is settled once',
    async ({ open, server, browser }) => {
      for (const key of ['yes', 'no']) await server.post('/v1/promises', { idempotency_key: `settle-${key}` });
      const page = await open('/ui/promises?show=Open');
      await page.getByRole('row', { name: /settle-no/ }).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'settle-no' }).waitFor();
      await page.getByRole('button', { name: 'Reject…' }).click();
      await page.getByLabel('Why').fill('nobody wants it');
      await confirm(page, 'Reject');
      await page.locator('[data-main-status] [data-status="failed"]').waitFor();
      await page.getByText('nobody wants it').first().waitFor();
      expect((await page.getByRole('button', { name: 'Resolve…' }).count()) === 0, 'it can be settled again');
      await browser.shoot(page, 'promise-rejected');
      await page.getByRole('navigation').getByRole('link', { name: 'Promises' }).click();
      await page.getByRole('row', { name: /settle-yes/ }).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'settle-yes' }).waitFor();
      await page.getByRole('button', { name: 'Resolve…' }).click();
      await page.getByLabel('Value (JSON)', { exact: true }).fill('9007199254740993');
      await confirm(page, 'Resolve');
      await page.getByRole('region', { name: 'Result' }).getByText('9007199254740993').waitFor();
    },
  ],
  [
    'a workflow of code is asked to stop',
    async ({ open, server }) => {
      const id = (await server.post('/v1/workflows', { kind: 'nobody_has_it', workflow_id: 'stopped-1', queue: 'stopped' })).workflow_execution_id;
      const page = await open('/ui/workflows?show=Open');
      await page.locator(`tr[data-task="${id}"]`).getByText('code').waitFor();
      await page.locator(`tr[data-task="${id}"]`).getByRole('link', { name: 'nobody_has_it' }).click();
      await page.getByRole('button', { name: 'Cancel…' }).click();
      await confirm(page, 'Cancel it');
      await page.getByText('It is cancelled, or asked to stop.').waitFor();
    },
  ],
  [
    'workers are seen that wait for work and have none',
    async ({ open, server }) => {
      server.employ(['idle-queue'], server.script('idle.sh', 'echo 1'), ['--worker-id', 'idle-1']);
      const page = await open('/ui/workers');
      const row = page.locator('[data-idle="idle-1"]');
      await row.getByText('waits now').waitFor();
      await row.getByRole('link', { name: 'idle-queue' }).waitFor();
    },
  ],
  [
    'a queue tells how long its oldest task waits',
    async ({ open, server }) => {
      await server.submit({ handler: 'nobody', queue: 'aging' });
      const page = await open('/ui/queues');
      await page.locator('[data-queue="aging"] [data-name="Oldest waits"]').getByText(/\d+(\.\d)? (ms|s)/).waitFor();
    },
  ],
  [
    'a task is found by a text in its context, anywhere or at a path',
    async ({ open, server, browser }) => {
      await server.submit({ handler: 'found', queue: 'found', idempotency_key: 'found-a', context: { to: { name: 'José' } } });
      await server.submit({ handler: 'found', queue: 'found', idempotency_key: 'found-b', context: { to: 'Bob', from: 'José' } });
      const page = await open('/ui/tasks', { allowed: [400] }); // a path that is none
      await page.getByLabel('Text in the context').fill('José');
      await page.getByLabel('Text in the context').press('Enter');
      await page.getByText('2 in all').waitFor();
      await page.getByLabel('… at this path').fill('/to/name');
      await page.getByLabel('… at this path').press('Enter');
      await page.getByText('1 in all').waitFor();
      await page.getByText('found-a', { exact: true }).waitFor();
      await page.waitForURL(/text=Jos%C3%A9.*path=%2Fto%2Fname/);
      await browser.shoot(page, 'search');
      await page.getByLabel('… at this path').fill('name');
      await page.getByLabel('… at this path').press('Enter');
      await page.getByRole('alert').getByText(/context_path/).waitFor();
      await page.getByRole('button', { name: 'Clear all filters' }).first().click();
      await page.locator('tr[data-task]').nth(3).waitFor();
    },
  ],
];
