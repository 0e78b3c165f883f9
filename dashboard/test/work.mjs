// Runs, queues, schedules, templates.
import { expect } from './browser.mjs';

const confirm = (page, text) => page.getByRole('dialog').getByRole('button', { name: text }).click();

export const workTests = [
  [
    'a run is drawn, and goes on while it is looked at',
    async ({ open, server, browser }) => {
      const id = await server.submit({ namespace: 'shop', name: 'order', queue: 'watched', context: { order: 'watched', items: ['a', 'b'], gift: true } });
      const page = await open(`/ui/tasks/${id}`);
      await page.locator('[data-step="charge"][data-status="pending"]').waitFor();
      await page.locator('[data-step="ship"][data-status="waiting"]').waitFor();
      const gate = server.gate('wrapping');
      server.employ(['watched'], server.script('step.sh', '[ "$SEMEL_TASK_KEY" = wrap ] && cat wrapping; echo 1'), ['--concurrency', '2', '--worker-id', 'packer']);
      await page.locator('[data-step="pick"][data-status="completed"]').getByText('completed 2/2').waitFor();
      await page.locator('[data-step="wrap"][data-status="running"]').waitFor();
      await browser.shoot(page, 'run-live');
      await gate.open();
      await page.locator('[data-step="ship"][data-status="completed"]').waitFor();
      await page.locator('[data-main-status] [data-status="completed"]').waitFor();
      await page.getByText('run completed').waitFor();
      const bar = async (key) => await page.locator('.gantt .row-line').filter({ has: page.getByRole('link', { name: key, exact: true }) }).locator('i.work.completed').boundingBox();
      const [charge, pick, ship] = [await bar('charge'), await bar('pick[1]'), await bar('ship')];
      for (const one of [charge, pick, ship]) expect(one.width >= 3, 'a bar is not to be seen');
      expect(charge.x < pick.x && pick.x < ship.x, 'what came later stands further to the right');
      await page.locator('[data-step="charge"]').click();
      await page.locator('[data-chosen="charge"]').getByRole('link', { name: 'Its task' }).click();
      await page.getByText('Part of').waitFor();
    },
  ],
  [
    'a blocked step is tried again, and another given its result by hand',
    async ({ open, server, made }) => {
      const page = await open(`/ui/tasks/${made.refund}`);
      await page.getByText('A step is blocked').waitFor();
      await page.locator('[data-step="pay_back"]').click();
      await page.getByRole('button', { name: 'Try again…' }).click();
      await page.getByLabel('Why').fill('the bank is back');
      await confirm(page, 'Try again');
      await page.locator('[data-step="pay_back"][data-status="pending"]').waitFor();
      server.work(['refunds'], server.script('closed.sh', 'exit 1'));
      await page.locator('[data-step="tell"][data-status="blocked"]').waitFor();
      await page.locator('[data-step="tell"]').click();
      await page.getByRole('button', { name: 'Resolve…' }).click();
      await page.getByLabel('Result (JSON)').fill('{"told": ');
      await confirm(page, 'Resolve');
      await page.getByText('This is not JSON').waitFor();
      await page.getByLabel('Result (JSON)').fill('{"told": "by phone"}');
      await confirm(page, 'Resolve');
      await page.locator('[data-step="tell"][data-status="completed"]').waitFor();
      await page.locator('[data-main-status] [data-status="failed"]').waitFor();
      await page.getByText('"why":"the bank is back"').waitFor();
      await page.getByRole('button', { name: 'Retry…' }).click();
      await confirm(page, 'Try again');
      await page.locator('[data-main-status] [data-status="suspended"]').waitFor();
      await page.getByRole('button', { name: 'Cancel…' }).click();
      await confirm(page, 'Cancel it');
      await page.locator('[data-main-status] [data-status="cancelled"]').waitFor();
    },
  ],
  [
    'a queue is paused, goes on, and gets other limits',
    async ({ open, server }) => {
      const page = await open('/ui/queues', { allowed: [400] }); // a rate that is none
      const row = page.locator('[data-queue="imports"]');
      await row.getByRole('button', { name: 'Pause' }).click();
      await row.getByText('paused').waitFor();
      expect((await server.get('/v1/queues/imports')).paused, 'the server was not told');
      await row.getByRole('button', { name: 'Resume' }).click();
      await row.getByRole('button', { name: 'Pause' }).waitFor();
      await row.getByRole('link', { name: 'imports' }).click();
      await page.getByRole('button', { name: 'Change…' }).click();
      await page.getByLabel('Running at once', { exact: true }).fill('7');
      await page.getByLabel('Rate').fill('nonsense');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/rate_limit/).first().waitFor();
      await page.getByLabel('Rate').fill('50/min');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The settings are in force.').waitFor();
      const { set } = await server.get('/v1/queues/imports');
      expect(set.max_running === 7 && set.rate_limit === '50/min', JSON.stringify(set));
    },
  ],
  [
    'a change of a queue leaves everything else of it as it was',
    async ({ open, server }) => {
      const settings = { target: 'https://push.example/run', target_timeout: '7s', target_dedup_window: '2h', heartbeat_timeout: '40s', max_in_flight: 3, reuse: 'allow_duplicate', paused: true, retention: '3d' };
      await server.put('/v1/queues/pushed', { ...settings, rate_limit: '10/sec', rate_burst: 20 });
      const { set: before } = await server.get('/v1/queues/pushed');
      const page = await open('/ui/queues/pushed');
      await page.getByRole('button', { name: 'Change…' }).click();
      await page.getByLabel('Running at once', { exact: true }).fill('7');
      await page.getByLabel('Burst').fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('The settings are in force.').waitFor();
      const { set: after } = await server.get('/v1/queues/pushed');
      const wanted = { ...before, max_running: 7 };
      delete wanted.rate_burst;
      const inOrder = (value) => JSON.stringify(Object.entries(value).sort());
      expect(before.max_in_flight === 3 && inOrder(after) === inOrder(wanted), `${inOrder(after)} instead of ${inOrder(wanted)}`);
    },
  ],
  [
    'a schedule is fired, paused, goes on, and is removed',
    async ({ open, server }) => {
      const page = await open('/ui/schedules');
      await page.getByRole('link', { name: 'morning-report' }).click();
      await page.locator('ol li').nth(4).waitFor();
      await page.getByText('Europe/Lisbon').waitFor();
      expect((await page.locator('ol li time').count()) === 10, 'five firings, each in two forms');
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('None while it is paused.').waitFor();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByRole('button', { name: 'Pause' }).waitFor();
      await page.getByRole('button', { name: 'Run now…' }).click();
      await confirm(page, 'Fire it now');
      await page.getByRole('heading', { name: 'send_report' }).waitFor();
      await page.getByText('the schedule and the nominal time of the firing').waitFor();
      await page.goto(`${server.url}/ui/schedules/hourly-sync`);
      await page.getByRole('button', { name: 'Remove…' }).click();
      await confirm(page, 'Remove it');
      await page.getByRole('heading', { name: 'Schedules' }).waitFor();
      await page.getByRole('link', { name: 'hourly-sync' }).waitFor({ state: 'detached' });
    },
  ],
  [
    'a template shows its versions, its graph and what identifies it, and is removed',
    async ({ open, server }) => {
      const page = await open('/ui/templates');
      await page.getByLabel('Find a template').fill('report');
      await page.getByRole('link', { name: 'ops/report' }).click();
      await page.getByText('its content').waitFor();
      await page.getByRole('button', { name: '1.2.0', exact: true }).click();
      await page.getByText('["/day"]').first().waitFor({ state: 'detached' });
      await page.getByRole('button', { name: '1.3.0', exact: true }).click();
      await page.getByText('["/day"]').first().waitFor();
      await page.getByRole('button', { name: 'Remove 1.3.0…' }).click();
      await confirm(page, 'Remove it');
      await page.getByText('Version 1.3.0 is removed.').waitFor();
      expect((await server.get('/v1/templates/ops/report')).versions.length === 1, 'one version is left');
      await page.goto(`${server.url}/ui/templates/shop/order`);
      await page.locator('[data-step="pick"]').getByText('pick_item × each').waitFor();
      await page.getByRole('link', { name: 'Explain a request' }).click();
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.locator('[data-would="create"]').waitFor();
    },
  ],
];
