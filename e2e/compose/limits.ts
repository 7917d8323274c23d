import { requestMany } from './load.ts';
import type { Scene } from './under-load.ts';

/** So small that Redis counts each request itself. */
export const LIMIT_PER_MINUTE = 120;
const REQUESTS = 400;
const PATH = '/api/skills?limit=1';

/**
 * Sends more requests than the limit, without credentials, each with a different forged client address. @throws if more
 * or fewer succeed than for one client of one gateway, or if a client at another address is refused
 */
export async function holdLimitTogether({ stack, target }: Scene): Promise<string> {
  const began = performance.now();
  const responses = await requestMany(target, PATH, REQUESTS, (at) => {
    const address = `203.0.${at >> 8}.${at & 255}`;
    return { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address };
  });
  const statuses = responses.map(({ status }) => status);
  const seconds = (performance.now() - began) / 1_000;
  const passed = statuses.filter((status) => status === 200).length;
  const refused = statuses.filter((status) => status === 429).length;
  // The quota that refills meanwhile, and one for rounding at both ends.
  const most = LIMIT_PER_MINUTE + Math.ceil((seconds * LIMIT_PER_MINUTE) / 60) + 1;
  const seen = `${passed} of ${statuses.length} passed in ${seconds.toFixed(1)} s at ${LIMIT_PER_MINUTE} a minute`;
  if (passed + refused !== statuses.length) throw new Error(`${seen}, ${refused} were 429`);
  if (passed < LIMIT_PER_MINUTE || passed > most) throw new Error(`${seen}: not ${LIMIT_PER_MINUTE} to ${most}`);
  const [gateway = ''] = await stack.replicas('gateway');
  const program = `fetch('http://load-balancer:8080${PATH}').then(({ status }) => console.log(status))`;
  const elsewhere = (await stack.exec(gateway, ['node', '-e', program])).trim();
  if (elsewhere !== '200') throw new Error(`${seen}; from another address: ${elsewhere}`);
  return seen;
}
