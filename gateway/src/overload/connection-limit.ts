import type { ConnectionLimit } from '@agent-fleet/shared/http/connection-limit';
import { createClientAddresses, toNetwork } from '../client-address.ts';
import type { GatewayConfig } from '../config.ts';

const LOOPBACK = /^127\.|^::1$/;
/** How a dual-stack socket writes an IPv4 address. */
const MAPPED = /^::ffff:(?=\d+\.)/i;

/** Load balancers, which speak for many clients, and this machine are not limited; undefined when nobody is. */
export function toConnectionLimit(
  config: Pick<GatewayConfig, 'maxConnectionsPerAddress' | 'trustedProxies'>,
): ConnectionLimit | undefined {
  const { maxConnectionsPerAddress: maxPerClient, trustedProxies } = config;
  if (maxPerClient === 0) return undefined;
  const { isTrusted } = createClientAddresses(trustedProxies);
  const isExempt = (address: string) => LOOPBACK.test(address) || isTrusted(address);
  return {
    maxPerClient,
    clientOf(remoteAddress) {
      const address = remoteAddress.replace(MAPPED, '');
      return isExempt(address) ? undefined : toNetwork(address);
    },
  };
}
