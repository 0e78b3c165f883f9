// A server with keys: logging in and out, what a key may not do is not offered, and keys are made and revoked.
import { expect } from './browser.mjs';
import { pages } from './looks.mjs';
import { seed } from './seed.mjs';

const everything = ['tasks:create', 'tasks:read', 'tasks:cancel', 'workers', 'admin'];
const confirm = (page, text) => page.getByRole('dialog').getByRole('button', { name: text }).click();

async function withKeys(serve, test) {
  const server = await serve();
  const first = await server.post('/v1/keys', { name: 'first', permissions: everything });
  server.key = first.key;
  const reader = await server.post('/v1/keys', { name: 'reader', permissions: ['tasks:read'] });
  await test(server, reader);
}

async function logIn(page, key) {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
}

export const loginTests = [
  [
    'a key is asked for, refused when it is wrong, kept for the tab only, and forgotten',
    ({ open, serve, browser }) =>
      withKeys(serve, async (server) => {
        const page = await open('/ui/tasks', { server, allowed: [401] });
        await page.getByLabel('API key').waitFor();
        await browser.shoot(page, 'login');
        await browser.judge(page);
        await logIn(page, 'semel_wrong_key');
        await page.getByText('The server does not know this key.').waitFor();
        await logIn(page, server.key);
        await page.getByRole('heading', { name: 'Tasks' }).waitFor();
        await page.locator('.who').getByText('first').waitFor();
        await page.locator('.stream', { hasText: 'Live' }).waitFor();
        await page.reload();
        await page.getByRole('heading', { name: 'Tasks' }).waitFor();
        const kept = await page.evaluate(() => [document.cookie, JSON.stringify(localStorage), sessionStorage.getItem('semel.key')]);
        expect(kept[0] === '' && !kept[1].includes('semel_') && kept[2] === server.key, `the key is kept elsewhere: ${kept[0]} ${kept[1]}`);
        await page.getByRole('button', { name: 'Log out' }).click();
        await page.getByLabel('API key').waitFor();
        expect((await page.evaluate(() => sessionStorage.length)) === 0, 'the key is still there');
      }),
  ],
  [
    'a key that may only read is offered nothing else',
    ({ open, serve, browser }) =>
      withKeys(serve, async (server, reader) => {
        const made = await seed(server);
        const page = await open('/', { server, key: reader.key });
        await page.getByText('read-only').waitFor();
        const others = { task: '[data-duplicates]', identity: '[data-key]' }; // to explain a request takes another permission
        for (const [name, path, mark] of pages({ made })) {
          if (['keys', 'audit'].includes(name)) continue;
          await page.goto(`${server.url}/ui${path}`);
          await page.locator(others[name] ?? mark).first().waitFor();
          const offered = await page.getByRole('button', { name: /\b(cancel|retry|delete|release|pause|resume|remove|run now|redrive|change|explain|resolve|end now|try again|reject|send|save)\b/i }).allTextContents();
          expect(offered.length === 0, `${path} offers ${offered.join(', ')}`);
        }
        await page.goto(`${server.url}/ui/tasks/${made.payment}`);
        await page.getByText('4', { exact: true }).first().waitFor();
        await browser.shoot(page, 'read-only');
        await browser.judge(page);
        for (const name of ['API keys', 'Audit log']) expect((await page.getByRole('link', { name }).count()) === 0, `${name} is offered`);
      }),
  ],
  [
    'keys are made, shown once, and revoked; who used one is asked for another',
    ({ open, serve, browser }) =>
      withKeys(serve, async (server) => {
        const page = await open('/ui/keys', { server, key: server.key });
        await page.getByRole('button', { name: 'Make a key…' }).click();
        await page.getByLabel('Name').fill('dashboards');
        await page.getByLabel('Good for').fill('1h');
        await page.getByRole('button', { name: 'Make it' }).click();
        const secret = await page.locator('[data-secret]').textContent();
        expect(secret.startsWith('semel_'), secret);
        await browser.shoot(page, 'key-made');
        await browser.judge(page);
        const other = await open('/ui/tasks', { server, key: secret, allowed: [401] });
        await other.getByText('No task yet').waitFor();
        await page.locator('tr', { hasText: 'dashboards' }).getByRole('button', { name: 'Revoke…' }).click();
        await confirm(page, 'Revoke it');
        await page.locator('tr.revoked', { hasText: 'dashboards' }).waitFor();
        await other.getByRole('link', { name: 'Queues' }).click();
        await other.getByText('The server no longer takes this key.').waitFor();
        await page.goto(`${server.url}/ui/audit`);
        await page.getByText('key.revoke').waitFor();
      }),
  ],
  [
    'a server that goes away and comes back is followed again',
    async ({ open, serve }) => {
      const server = await serve();
      const page = await open('/ui/tasks', { server, allowed: ['net::ERR_'] }); // no server, no connection
      await page.locator('.stream', { hasText: 'Live' }).waitFor();
      await server.restart(() => page.locator('.stream', { hasText: 'Connecting' }).waitFor());
      await page.locator('.stream', { hasText: 'Live' }).waitFor();
      const id = await server.submit({ handler: 'afterwards' });
      await page.locator(`tr[data-task="${id}"]`).waitFor();
    },
  ],
];
