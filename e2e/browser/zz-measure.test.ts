import { readFileSync } from 'node:fs';
import { test } from '@jest/globals';
import axe from 'axe-core';
import { findViolations } from './support/axe.ts';
import { seedFleet } from './support/seed.ts';
import { describePages } from './support/site.ts';
import { untilReady } from './support/tabs.ts';

const file = `/sys/fs/cgroup/cpuacct/${process.env.CG}/cpuacct.usage`;
const cpu = () => Number(readFileSync(file, 'utf8')) / 1e6;
let last = cpu();
const lap = (name: string, n = 1) => {
  const now = cpu();
  process.stderr.write(`${name}: ${((now - last) / n).toFixed(0)} ms CPU\n`);
  last = cpu();
};
lap('jest start');
await describePages('m', (site) => {
  test('x', async () => {
    lap('fleet, chromium');
    await seedFleet(site.api);
    lap('seed');
    for (let i = 0; i < 5; i++) {
      const p = await site.visit('/console', { as: 'admin' });
      await p.context().close();
    }
    lap('visit in new context', 5);
    const c = await site.newContext({ as: 'admin' });
    const page = await site.visit('/console', { context: c });
    lap('first');
    for (let i = 0; i < 5; i++) {
      await page.goto('/console');
      await untilReady(page);
    }
    lap('goto same tab', 5);
    for (let i = 0; i < 5; i++) await page.screenshot({ fullPage: true, animations: 'disabled' });
    lap('screenshot', 5);
    for (let i = 0; i < 5; i++) await findViolations(page);
    lap('axe all', 5);
    const d = await c.newCDPSession(page);
    const ev = (expression: string) =>
      d.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    for (let i = 0; i < 5; i++) await ev(`${axe.source}; undefined`);
    lap('axe load', 5);
    for (let i = 0; i < 5; i++) await ev("axe.run({resultTypes:['violations']}).then(({violations})=>violations)");
    lap('axe run resultTypes', 5);
    for (let i = 0; i < 5; i++)
      await ev("axe.run({resultTypes:['violations'], runOnly: ['color-contrast']}).then(({violations})=>violations)");
    lap('axe contrast', 5);
    for (let i = 0; i < 5; i++)
      await ev(
        "axe.run({resultTypes:['violations'], rules: {'color-contrast': {enabled:false}}}).then(({violations})=>violations)",
      );
    lap('axe without contrast', 5);
  });
});
