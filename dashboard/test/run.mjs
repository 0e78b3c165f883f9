// node test/run.mjs [WORD]: every test, or those whose names have the word. One line a test; screenshots and failures
// are left in the folder SHOTS (by default build/dashboard/screenshots).
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser } from './browser.mjs';
import { identityTests } from './identity.mjs';
import { libTests } from './lib.mjs';
import { loginTests } from './login.mjs';
import { lookTests } from './looks.mjs';
import { manageTests } from './manage.mjs';
import { seed } from './seed.mjs';
import { Server } from './server.mjs';
import { taskTests } from './tasks.mjs';
import { workTests } from './work.mjs';
import { codeTests } from './code.mjs';
import { actTests } from './acts.mjs';
import { listTests } from './lists.mjs';
import { shellTests } from './shell.mjs';
import { workerTests } from './workers.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const shots = resolve(process.env.SHOTS ?? join(here, '..', '..', 'build', 'dashboard', 'screenshots'));
const word = process.argv[2] ?? '';
rmSync(shots, { recursive: true, force: true });
mkdirSync(shots, { recursive: true });

const browser = await Browser.start(shots);
const server = await Server.start();
const world = { browser, server, made: await seed(server) };
let failed = 0;
for (const [name, test] of [...libTests, ...lookTests, ...shellTests, ...taskTests, ...actTests, ...identityTests, ...workTests, ...codeTests, ...listTests, ...workerTests, ...manageTests, ...loginTests]) {
  if (!name.includes(word)) continue;
  const begun = Date.now();
  const pages = [];
  const servers = [];
  const serve = async () => {
    servers.push(await Server.start());
    return servers.at(-1);
  };
  const open = async (path, options) => {
    const page = await browser.open((options?.server ?? server).url + path, options);
    pages.push(page);
    return page;
  };
  try {
    await test({ ...world, open, serve });
    for (const page of pages) await browser.close(page);
    console.log(`ok ${name} (${Date.now() - begun} ms)`);
  } catch (error) {
    failed += 1;
    const open = pages.find((page) => !page.isClosed());
    if (open) await browser.shoot(open, `failed-${name.replaceAll(/\W+/g, '-')}`).catch(() => undefined);
    for (const page of pages) await browser.close(page).catch(() => undefined);
    console.log(`FAILED ${name}: ${String(error.stack ?? error)}`);
    for (const page of pages) if (page.problems.length > 0) console.log(`  ${page.problems.join('\n  ')}`);
  }
  for (const own of servers) await own.stop(); // after the pages, which would complain of requests that nobody answers
}
await browser.stop();
await server.stop();
process.exit(failed === 0 ? 0 : 1);
