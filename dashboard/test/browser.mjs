// Debian's Chromium without windows, driven by playwright-core; CHROMIUM may name the whole one, which has twice the work.
// Every page is watched: whatever it says to the console, every violation of the Content-Security-Policy and every request
// to another host fails the test it happened in.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export class Browser {
  static async start(shots) {
    const browser = new Browser();
    browser.shots = shots;
    browser.chromium = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox', '--disable-gpu'] });
    return browser;
  }

  stop() {
    return this.chromium.close();
  }

  /** A page in a session of its own. `allowed` are the answers, by status, or other words of the browser's complaints that a test expects. */
  async open(url, { theme = 'light', width = 1360, height = 900, key = '', allowed = [] } = {}) {
    const context = await this.chromium.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'UTC' });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: new URL(url).origin });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000); // a busy machine is no failure
    page.problems = [];
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      if (allowed.some((one) => message.text().includes(typeof one === 'number' ? `status of ${one}` : one))) return;
      page.problems.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => page.problems.push(`thrown: ${error.stack ?? error.message}`));
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(url).origin)) page.problems.push(`request to another host: ${request.url()}`);
    });
    await page.addInitScript(() => document.addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`)));
    if (key) await page.addInitScript((value) => sessionStorage.setItem('semel.key', value), key);
    await page.goto(url);
    return page;
  }

  /** Ends a page's session; what it complained about is a failure. */
  async close(page) {
    const problems = page.problems;
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' }); // a test may be over before an answer that it changes
    await page.context().close();
    if (problems.length > 0) throw new Error(problems.join('\n'));
  }

  async shoot(page, name, fullPage = true) {
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: join(this.shots, `${name}.png`), fullPage });
  }

  /** What axe-core finds serious or critical. */
  async judge(page) {
    // The library is run by the tool, not by the page: its policy allows no other script.
    const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ['violations'] })`);
    const serious = found.violations.filter((one) => ['serious', 'critical'].includes(one.impact));
    if (serious.length === 0) return;
    throw new Error(serious.map((one) => `${one.id}: ${one.help}\n${one.nodes.slice(0, 4).map((node) => `    ${node.html.slice(0, 160)}\n    ${node.failureSummary.replaceAll('\n', ' ')}`).join('\n')}`).join('\n'));
  }
}

export function expect(good, what) {
  if (!good) throw new Error(what);
}

export async function expectText(locator, wanted) {
  await locator.filter({ hasText: wanted }).first().waitFor();
}
