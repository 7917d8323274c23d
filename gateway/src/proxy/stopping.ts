import type { ServiceProxy } from './service-proxy.ts';

/** Early enough to reach the client before what is left is cut, 20 s after the stop began. */
const REFUSE_AFTER_MS = 15_000;

/**
 * What exchanges that outlast a stop come to. Event streams end with the drain: by then load balancers send those who connect again
 * elsewhere. What waits for an answer, as a long poll does for up to 30 s, gets 503 after 15 s, or at the end of a longer drain.
 */
export function endLongExchanges(proxies: readonly ServiceProxy[], drainSeconds: number): void {
  const drainMs = drainSeconds * 1_000;
  setTimeout(() => {
    for (const proxy of proxies) proxy.endStreams();
  }, drainMs).unref();
  const refuse = () => {
    for (const proxy of proxies) proxy.refuseWaiting();
  };
  setTimeout(refuse, Math.max(drainMs, REFUSE_AFTER_MS)).unref();
}
