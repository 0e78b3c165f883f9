// What nobody else shows: why a task is this task, whom it kept out, and what would happen now.
import { expect } from './browser.mjs';

const confirm = (page, text) => page.getByRole('dialog').getByRole('button', { name: text }).click();

export const identityTests = [
  [
    'the identity panel shows material, hash, window and the duplicates',
    async ({ open, server, made }) => {
      const task = await server.get(`/v1/tasks/${made.payment}`);
      const page = await open(`/ui/tasks/${made.payment}`);
      const panel = page.getByRole('region', { name: 'Identity' });
      await panel.locator('[data-material]').getByText('order-1017').waitFor();
      await panel.getByText('the key that was sent with it').waitFor();
      await panel.locator(`code[title="${task.identity.hash}"]`).waitFor();
      await panel.getByText('after closing, until').waitFor();
      expect((await panel.locator('[data-duplicates]').textContent()) === '4', 'four duplicates were sent');
      await panel.getByText(`strategy ${task.identity.strategy}`).waitFor();
      expect(task.duplicates.last.length === 4, JSON.stringify(task.duplicates));
      for (const [at, hit] of [...task.duplicates.last].reverse().entries()) {
        const row = panel.locator('tbody tr').nth(at);
        await row.locator(`time[datetime="${hit.at}"]`).waitFor();
        await row.getByRole('cell', { name: hit.key_id, exact: true }).waitFor();
        await row.getByRole('cell', { name: hit.answer, exact: true }).waitFor();
      }
      for (const answer of ['409 CONFLICT', '409 described', '200', '422 IDEMPOTENCY_KEY_MISMATCH']) await panel.getByRole('cell', { name: answer, exact: true }).first().waitFor();
    },
  ],
  [
    'a context is shown as it was sent: no number is changed',
    async ({ open, made }) => {
      const page = await open(`/ui/tasks/${made.payment}`);
      await page.getByRole('region', { name: 'Context' }).getByText('9007199254740993').waitFor();
      await page.getByRole('region', { name: 'Result' }).getByText('9007199254740993').waitFor();
    },
  ],
  [
    'content as identity is shown in canonical form',
    async ({ open, made }) => {
      const page = await open(`/ui/tasks/${made.report}`);
      const panel = page.getByRole('region', { name: 'Identity' });
      await panel.locator('[data-material]').getByText('{"day":"2026-01-20","total":100}').waitFor();
      await panel.getByText('its content').waitFor();
    },
  ],
  [
    'a period that has passed is said to be why the hash is another now',
    async ({ open, server, made }) => {
      const identity = { strategy: 'strict', fields: ['/day'], period: '1h' };
      await server.put('/v1/templates', { namespace: 'ops', name: 'hourly', version: '1.0.0', identity });
      const id = await server.submit({ namespace: 'ops', name: 'hourly', queue: 'hours', context: { day: '2026-01-20' } });
      const page = await open(`/ui/tasks/${made.report}`);
      await page.route('**/v1/identity/explain', async (route) => {
        const answer = await (await route.fetch()).json();
        answer.identity = { ...answer.identity, hash: answer.identity.hash.replace(/^../, 'zz'), bucket: answer.identity.bucket + 7_200 }; // two hours later
        await route.fulfill({ json: answer });
      });
      await page.goto(`${server.url}/ui/tasks/${id}`);
      const panel = page.getByRole('region', { name: 'Identity' });
      await panel.getByText('Its period has passed').waitFor();
      expect((await panel.getByText('settings have changed').count()) === 0, 'the template has not changed');
    },
  ],
  [
    'what if I sent this now: the same, other values, and another key',
    async ({ open, made, browser }) => {
      const page = await open(`/ui/tasks/${made.payment}`);
      const part = page.getByRole('region', { name: 'What if I sent this now?' });
      await part.locator('[data-would="duplicate"]').waitFor();
      await part.locator('[data-same]').waitFor();
      const context = part.locator('[data-whatif-context]');
      await context.fill('{"order": 1017, "amount": 12.99e1, "currency": "USD", "account": 9007199254740992}');
      await part.getByText('422').first().waitFor();
      await part.getByRole('cell', { name: '/currency' }).waitFor();
      await part.getByRole('cell', { name: '/account' }).waitFor();
      expect((await part.getByRole('cell', { name: '/amount' }).count()) === 0, '129.9 and 12.99e1 are one number');
      await browser.shoot(page, 'what-if');
      await browser.judge(page);
      await context.fill('{"order": ');
      await part.getByText('The context is not JSON: line 1').waitFor();
      await context.fill('{"order": 1018}');
      await part.getByLabel('Idempotency key').fill('order-1018');
      await part.locator('[data-would="create"]').waitFor();
      await part.getByText('not this task’s').waitFor();
    },
  ],
  [
    'what if: after a failure another task would take the identity over',
    async ({ open, made }) => {
      const page = await open(`/ui/tasks/${made.failed}`);
      const part = page.getByRole('region', { name: 'What if I sent this now?' });
      await part.locator('[data-would="take_over"]').getByText('A new task would take the identity over').waitFor();
      await part.getByLabel('Reuse').selectOption('reject_duplicate');
      await part.locator('[data-would="duplicate"]').waitFor();
    },
  ],
  [
    'what if: a difference that does not count is said to be ignored',
    async ({ open, made }) => {
      const page = await open(`/ui/tasks/${made.order}`);
      const part = page.getByRole('region', { name: 'What if I sent this now?' });
      await part.locator('[data-would="duplicate"]').waitFor();
      await part.locator('[data-whatif-context]').fill('{"order": 7, "items": ["pen", "ink", "paper"], "gift": false, "trace": "b"}');
      await part.getByRole('row', { name: '/trace' }).getByText('ignored').waitFor();
      await part.locator('[data-would="duplicate"]').waitFor();
    },
  ],
  [
    'a key is looked up in one version of a template',
    async ({ open, server }) => {
      const template = { namespace: 'scoped', name: 'job', identity: { strategy: 'caller_provided', scope: 'template_version' } };
      const made = [];
      for (const version of ['1.0.0', '2.0.0']) {
        await server.put('/v1/templates', { ...template, version });
        made.push(await server.submit({ namespace: 'scoped', name: 'job', version, queue: 'scoped', idempotency_key: 'scoped-1' }));
      }
      const page = await open('/ui/identity');
      await page.locator('[data-key]').fill('scoped-1');
      for (const [at, version] of ['1.0.0', '2.0.0'].entries()) {
        await page.getByLabel('Scope').fill(`scoped/job@${version}`);
        await page.getByRole('button', { name: 'Look it up' }).click();
        await page.locator('[data-held="true"]').getByText(made[at]).waitFor();
      }
    },
  ],
  [
    'what if: an answer that comes late is not shown in place of a newer one',
    async ({ open, made }) => {
      const page = await open(`/ui/tasks/${made.payment}`);
      const part = page.getByRole('region', { name: 'What if I sent this now?' });
      await part.locator('[data-would="duplicate"]').waitFor();
      const held = new Promise((heard) => void page.route('**/v1/identity/explain', (route) => (route.request().postData().includes('"late"') ? heard(route) : route.continue())));
      await part.locator('[data-whatif-context]').fill('{"order": "late"}');
      const late = await held;
      await part.locator('[data-whatif-context]').fill('{"order": "soon"}');
      await part.getByLabel('Idempotency key').fill('order-soon');
      await part.locator('[data-would="create"]').waitFor();
      const arrived = page.waitForResponse((response) => response.request() === late.request());
      await late.continue();
      await (await arrived).finished();
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      expect((await part.locator('[data-would="create"]').count()) === 1, 'the late answer was taken');
    },
  ],
  [
    'the explorer explains a request that is pasted',
    async ({ open, browser }) => {
      const page = await open('/ui/identity', { allowed: [400] }); // a request that is none
      await page.locator('[data-request]').fill('{"handler": "charge_card", "idempotency_key": "order-1017", "context": {"order": 1017, "amount": 1}}');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.locator('[data-would="duplicate"]').waitFor();
      await page.getByRole('cell', { name: '/amount' }).waitFor();
      await browser.shoot(page, 'explained');
      await page.locator('[data-request]').fill('{"handlr": "x"}');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText("did you mean 'handler'?").waitFor();
    },
  ],
  [
    'a key is looked up, and its identity released',
    async ({ open, server }) => {
      const id = await server.submit({ handler: 'once', queue: 'release', idempotency_key: 'release-1' });
      server.work(['release'], server.script('fine.sh', 'echo 1'));
      const page = await open('/ui/identity');
      await page.locator('[data-key]').fill('release-1');
      await page.getByRole('button', { name: 'Look it up' }).click();
      await page.locator('[data-held="true"]').getByText(id).click();
      const panel = page.getByRole('region', { name: 'Identity' });
      await panel.getByRole('button', { name: 'Release…' }).click();
      await confirm(page, 'Release it');
      await panel.getByText('Released by hand').waitFor();
      const hash = (await server.get(`/v1/tasks/${id}`)).identity.hash;
      await server.submit({ handler: 'once', queue: 'release', idempotency_key: 'release-1' });
      server.work(['release'], server.script('fine.sh', 'echo 1'));
      await page.goto(`${server.url}/ui/identity?hash=${hash}`);
      await page.getByRole('button', { name: 'Release…' }).click();
      await confirm(page, 'Release it');
      await page.getByText('The identity is free.').waitFor();
      await page.goto(`${server.url}/ui/identity?key=release-1`);
      await page.locator('[data-held="false"]').waitFor();
    },
  ],
];
