import type { ServiceProxy } from './service-proxy.ts';

/** Early enough to reach the client before remaining connections are closed, 19 s after the stop began. */
const REFUSE_AFTER_MS = 15_000;

/**
 * Ends the requests that would outlast a stop. Event streams end with the drain: by then load balancers send clients
 * that reconnect to another gateway. Requests without a response, such as long polls, get 503 after 15 s, or at the end
 * of a longer drain.
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
