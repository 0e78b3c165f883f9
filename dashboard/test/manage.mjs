// The overview, which counts while it is looked at.
import { expect, expectText } from './browser.mjs';

const figure = (page, name) => page.locator(`[data-figure="${name}"]`);
const number = async (page, name) => Number((await figure(page, name).textContent()).replaceAll(',', ''));

export const manageTests = [
  [
    'the overview counts duplicates and creations as they happen, over an hour and a day',
    async ({ open, server }) => {
      const page = await open('/');
      await expectText(page.locator('.stream'), 'Live');
      const [created, duplicates] = [await number(page, 'Created'), await number(page, 'Duplicates prevented')];
      expect(created > 30 && duplicates >= 10, `${created} created, ${duplicates} duplicates`);
      const task = { handler: 'counted', queue: 'counted', idempotency_key: 'counted-1' };
      await server.submit(task);
      await server.post('/v1/tasks', task, { expect: [409] });
      await server.submit({ ...task, idempotency_key: 'counted-2' });
      await figure(page, 'Created').getByText(String(created + 2), { exact: true }).waitFor();
      await figure(page, 'Duplicates prevented').getByText(String(duplicates + 1), { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Day' }).click();
      await page.getByText('in ten minutes').waitFor();
      await figure(page, 'Created').getByText(String(created + 2), { exact: true }).waitFor();
      await page.locator('.uplot canvas').waitFor();
    },
  ],
];
