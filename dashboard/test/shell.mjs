// What is around the pages: the menu, where one is, going somewhere, light and dark, a server that is not there, copying.
import { expect, expectText } from './browser.mjs';

const here = (page) => page.getByRole('navigation').locator('a[aria-current="page"]');

export const shellTests = [
  [
    'the menu and the title say what is looked at: a task, a workflow or a promise',
    async ({ open, server, made }) => {
      const page = await open('/ui/tasks');
      for (const [id, place, title] of [[made.payment, 'Tasks', 'Task'], [made.order, 'Workflows', 'Workflow'], [made.workflow, 'Workflows', 'Workflow'], [made.promise, 'Promises', 'Promise']]) {
        await page.goto(`${server.url}/ui/tasks/${id}`);
        await page.locator('[data-main-status]').waitFor();
        await expectText(here(page), place);
        expect((await here(page).count()) === 1, 'two places are marked');
        expect((await page.title()) === `${title} · Semel`, await page.title());
      }
      await page.getByRole('navigation').getByRole('link', { name: 'Queues' }).click();
      await page.getByRole('heading', { name: 'Queues' }).waitFor();
      await expectText(here(page), 'Queues');
      expect((await page.title()) === 'Queues · Semel', await page.title());
    },
  ],
  [
    'a task is reached by its id, and an identity by its hash',
    async ({ open, server, made }) => {
      const { hash } = (await server.get(`/v1/tasks/${made.payment}`)).identity;
      const page = await open('/ui/queues');
      const jump = page.getByLabel('Go to a task by its id or key');
      await jump.fill(made.payment.toUpperCase());
      await jump.press('Enter');
      await page.waitForURL(`**/ui/tasks/${made.payment}`);
      await page.getByRole('heading', { name: 'charge_card' }).waitFor();
      await jump.fill(hash);
      await jump.press('Enter');
      await page.waitForURL(`**/ui/identity?hash=${hash}`);
      await page.getByRole('heading', { name: 'Release an identity' }).waitFor();
      expect((await page.locator('[data-hash]').inputValue()) === hash, 'the hash has to be typed again');
    },
  ],
  [
    'on a phone the places are behind a menu, which closes behind who has chosen',
    async ({ open, browser }) => {
      const page = await open('/ui/tasks', { width: 390, height: 844 });
      const menu = page.getByRole('button', { name: 'Menu' });
      const queues = page.getByRole('navigation').getByRole('link', { name: 'Queues' });
      await menu.waitFor();
      expect(!(await queues.isVisible()), 'the places are in the way');
      await menu.click();
      await queues.waitFor();
      expect((await menu.getAttribute('aria-expanded')) === 'true', 'it is not said to be open');
      await browser.shoot(page, 'menu-phone', false);
      await queues.click();
      await page.getByRole('heading', { name: 'Queues' }).waitFor();
      await queues.waitFor({ state: 'hidden' });
    },
  ],
  [
    'light or dark is chosen by a button, and remembered',
    async ({ open }) => {
      const page = await open('/ui/tasks');
      await page.locator('html[data-theme="light"]').waitFor();
      await page.getByRole('button', { name: 'Dark' }).click();
      await page.locator('html[data-theme="dark"]').waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Light' }).waitFor();
      await page.locator('html[data-theme="dark"]').waitFor();
    },
  ],
  [
    'a server that does not answer at first is asked again by a button',
    async ({ open, browser }) => {
      const page = await open('/ui/tasks', { allowed: ['net::ERR_'] });
      await page.getByRole('heading', { name: 'Tasks' }).waitFor();
      await page.route('**/v1/whoami', (route) => route.abort());
      await page.reload();
      await page.getByRole('heading', { name: 'The server does not answer' }).waitFor();
      await browser.shoot(page, 'unreachable');
      await page.unroute('**/v1/whoami');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('heading', { name: 'Tasks' }).waitFor();
    },
  ],
  [
    'an address that is escaped wrongly is a page all the same',
    async ({ open }) => {
      const page = await open('/ui/queues', { allowed: [400] }); // no queue has such a name
      await page.getByRole('heading', { name: 'Queues' }).waitFor();
      await page.evaluate(() => {
        history.pushState(null, '', '/ui/queues/%');
        dispatchEvent(new PopStateEvent('popstate'));
      });
      await page.getByRole('heading', { name: '%', exact: true }).waitFor();
      await page.getByRole('alert').getByText('Mend what the message names').waitFor();
    },
  ],
  [
    'an id is copied; where the browser has no clipboard for the page, it is selected',
    async ({ open, made, browser }) => {
      const page = await open(`/ui/tasks/${made.payment}`);
      await page.getByRole('button', { name: 'Copy the id' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect((await page.evaluate(() => navigator.clipboard.readText())) === made.payment, 'something else was copied');

      // As over plain HTTP on another machine.
      await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
      await page.reload();
      await page.getByRole('button', { name: 'Copy the id' }).click();
      await page.getByLabel('Press Ctrl+C to copy').waitFor();
      expect((await page.evaluate(() => getSelection().toString())) === made.payment, 'it is not selected');
      await browser.shoot(page, 'copy-by-hand');
      await page.keyboard.press('Tab');
      await page.getByLabel('Press Ctrl+C to copy').waitFor({ state: 'detached' });
    },
  ],
];
