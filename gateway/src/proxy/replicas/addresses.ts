import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Logger } from '@agent-fleet/shared/logger';

/** Shorter than the lifetime of container DNS records: replicas change sooner than records expire. */
const DEFAULT_REFRESH_MS = 2_000;

export type Resolve = (hostname: string) => Promise<string[]>;

async function resolveAll(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/**
 * Reports all addresses of a host name, now and every two seconds; an IP address and `localhost` are reported once, as
 * they are. While the name cannot be resolved, the last addresses remain. Returns a function that stops it.
 */
export function watchAddresses(
  hostname: string,
  onAddresses: (addresses: string[]) => void,
  logger: Logger,
  { resolve = resolveAll, refreshMs = DEFAULT_REFRESH_MS }: { resolve?: Resolve; refreshMs?: number } = {},
): () => void {
  if (isIP(hostname) || hostname === 'localhost') {
    onAddresses([hostname]);
    return () => {};
  }
  let closed = false;
  let resolving = false;
  let failing = false;
  const refresh = async (): Promise<void> => {
    if (resolving) return;
    resolving = true;
    try {
      const addresses = await resolve(hostname);
      if (!closed && addresses.length > 0) onAddresses(addresses);
      failing = false;
    } catch (error) {
      if (!failing) logger.warn({ err: error, hostname }, 'failed to resolve the host name');
      failing = true;
    } finally {
      resolving = false;
    }
  };
  void refresh();
  const timer = setInterval(() => void refresh(), refreshMs).unref();
  return () => {
    closed = true;
    clearInterval(timer);
  };
}
