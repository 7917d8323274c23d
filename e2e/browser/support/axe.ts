import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The violations of axe-core's rules in a page as it is now, one line for each element; default: of all rules. */
export async function findViolations(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly });
  // Not by an element or `eval`, which the policy of the pages forbids.
  const devTools = await page.context().newCDPSession(page);
  const evaluate = (expression: string) =>
    devTools.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  const { result: known } = await evaluate('typeof axe');
  if (known.value === 'undefined') await evaluate(`${SOURCE}; undefined`);
  const { result, exceptionDetails } = await evaluate(`axe.run(${options}).then(({ violations }) => violations)`);
  await devTools.detach();
  if (exceptionDetails) throw new Error(`axe-core: ${exceptionDetails.exception?.description}`);
  return (result.value as AxeResults['violations']).flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => `${id}: ${help}: ${target} ${failureSummary.replace(/\s+/g, ' ')}`),
  );
}
