// Each page: what it shows, that axe-core finds nothing serious, in light and dark, and at phone width.
import { spawnSync } from 'node:child_process';
import { expect, expectText } from './browser.mjs';

/** The row that has the focus, if it is the one at `at`. */
const chosen = (page, at) => page.locator('tr[data-task]').nth(at).locator('a.main:focus');

/** Name, address, and what is there once the page has what it shows. */
export const pages = ({ made }) => [
  ['overview', '', '.uplot canvas'],
  ['tasks', '/tasks', 'tr[data-task]'],
  ['task', `/tasks/${made.payment}`, '[data-material]'],
  ['failed-task', `/tasks/${made.failed}`, 'text=the exchange closed the connection'],
  ['run', `/tasks/${made.order}`, '[data-step="ship"][data-status="completed"]'],
  ['blocked-run', `/tasks/${made.refund}`, '[data-step="tell"][data-status="blocked"]'],
  ['code-workflow', `/tasks/${made.workflow}`, '[data-promise]'],
  ['promise', `/tasks/${made.promise}`, 'h2:has-text("Promise")'],
  ['workflows', '/workflows', 'tr[data-task]'],
  ['promises', '/promises', 'tr[data-task]'],
  ['dead-letters', '/dead-letters', 'tr[data-task]'],
  ['queues', '/queues', '[data-queue="imports"]'],
  ['queue', '/queues/imports', '[data-setting="rate_limit"]'],
  ['schedules', '/schedules', 'text=morning-report'],
  ['schedule', '/schedules/morning-report', 'text=Next firings'],
  ['workers', '/workers', '[data-idle="coder"]'],
  ['templates', '/templates', 'text=shop/order'],
  ['template', '/templates/shop/order', '[data-step="ship"]'],
  ['identity', '/identity', '[data-request]'],
  ['keys', '/keys', 'text=No key yet'],
  ['audit', '/audit', 'text=queue.set'],
];

export const lookTests = [
  ...['light', 'dark', 'phone'].map((look) => [
    `every page is shown and is accessible: ${look}`,
    async (world) => {
      const options = { light: {}, dark: { theme: 'dark' }, phone: { width: 390, height: 844 } }[look];
      const page = await world.open('/', options);
      const wrong = [];
      for (const [name, path, mark] of pages(world)) {
        await page.goto(`${world.server.url}/ui${path}`);
        await page.locator(mark).first().waitFor();
        await world.browser.shoot(page, `${name}-${look}`);
        await world.browser.judge(page).catch((error) => wrong.push(`${name}: ${error.message}`));
        const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        if (inner > outer) wrong.push(`${name} is ${inner} wide in a window of ${outer}`);
      }
      expect(wrong.length === 0, wrong.join('\n'));
    },
  ]),
  [
    'a page without anything teaches, with commands that work',
    async ({ open, serve, browser }) => {
      const server = await serve();
      const page = await open('/', { server });
      const lines = [];
      for (const path of ['', '/tasks', '/workflows', '/promises', '/dead-letters', '/queues', '/schedules', '/workers', '/templates', '/audit']) {
        await page.goto(`${server.url}/ui${path}`);
        await page.locator('.empty').first().waitFor();
        await browser.shoot(page, `empty-${path.slice(1) || 'overview'}`);
        await browser.judge(page);
        lines.push(...(await page.locator('.curl code').allTextContents()));
      }
      expect(lines.length >= 7, `only ${lines.length} commands are shown`);
      for (const line of lines) {
        const done = spawnSync('sh', ['-c', `${line} --silent --show-error --fail-with-body`], { encoding: 'utf8' });
        expect(done.status === 0, `${line}\n${done.stdout}${done.stderr}`);
      }
    },
  ],
  [
    'the first page is less than 250 KiB on the wire',
    async ({ open }) => {
      const page = await open('/');
      await page.locator('.uplot canvas').waitFor();
      const files = await page.evaluate(() =>
        [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
          .filter((entry) => !entry.name.includes('/v1/'))
          .map((entry) => [entry.name, entry.encodedBodySize]),
      );
      const size = files.reduce((sum, [, bytes]) => sum + bytes, 0);
      expect(files.length > 5 && files.every(([, bytes]) => bytes > 0), `these have no size: ${JSON.stringify(files)}`);
      expect(size < 250 * 1_024, `${Math.round(size / 1_024)} KiB: ${JSON.stringify(files)}`);
    },
  ],
  [
    'an address that leads nowhere says so, and so does a task that is not there',
    async ({ open, server }) => {
      const page = await open('/ui/nowhere', { allowed: [404] });
      await page.getByText('There is nothing at this address').waitFor();
      await page.goto(`${server.url}/ui/tasks/019bddae-b818-7d82-b7c5-bd42e5db27fc`);
      await page.getByRole('alert').getByText('NOT_FOUND').waitFor();
      await page.getByText('It may have been removed by retention').waitFor();
    },
  ],
  [
    'the keyboard reaches everything',
    async ({ open }) => {
      const page = await open('/ui');
      await page.locator('h1:has-text("Overview")').waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('t');
      // The overview has rows too, and stays until the next page is there: only the heading tells them apart.
      await page.locator('h1:has-text("Tasks")').waitFor();
      await page.locator('tr[data-task]').nth(2).waitFor();
      await page.keyboard.press('j');
      await chosen(page, 0).waitFor();
      await page.keyboard.press('j');
      await chosen(page, 1).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('k');
      await chosen(page, 1).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Identity' }).waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog').getByText('Next, previous row').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await page.keyboard.press('/');
      await page.locator('#jump:focus').waitFor();
      await page.keyboard.type('order-1017');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'charge_card' }).waitFor();
      await page.keyboard.press('Escape');
      await page.locator('body').press('l');
      await page.locator('html[data-theme="dark"]').waitFor();
    },
  ],
  [
    'the row that the keyboard chose stays chosen while the list is drawn anew',
    async ({ open, server }) => {
      const made = [];
      for (let i = 0; i < 3; ++i) made.unshift(await server.submit({ handler: 'chosen', queue: 'chosen' }));
      const page = await open('/ui/tasks?queue=chosen', { allowed: [503] });
      await expectText(page.locator('.stream'), 'Live');
      await page.locator(`tr[data-task="${made[2]}"]`).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await chosen(page, 1).waitFor();
      const newer = await server.submit({ handler: 'chosen', queue: 'chosen' });
      await page.locator(`tr[data-task="${newer}"]`).waitFor();
      await page.locator(`tr[data-task="${made[1]}"] a:focus`).waitFor();
      await chosen(page, 2).waitFor();

      // A list that could not be read is gone from the page, and then all its rows are new ones.
      await page.route('**/v1/tasks?*', (route) => route.fulfill({ status: 503, json: { error: { code: 'UNAVAILABLE', message: 'not now' } } }));
      await server.submit({ handler: 'chosen', queue: 'chosen' });
      await page.getByRole('alert').getByText('not now').waitFor();
      await page.unroute('**/v1/tasks?*');
      await server.submit({ handler: 'chosen', queue: 'chosen' });
      await chosen(page, 4).waitFor();
      await page.locator(`tr[data-task="${made[1]}"] a:focus`).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/ui/tasks/${made[1]}`);
    },
  ],
];
