import type { ConnectionLimit } from '@agent-fleet/shared/http/connection-limit';
import { isIn, toNetwork, toPlainAddress } from '../client-address.ts';
import type { GatewayConfig } from '../config.ts';

const LOOPBACK = /^127\.|^::1$/;

/** Load balancers, which forward many clients, and this machine are not limited. Undefined without any limit. */
export function toConnectionLimit(
  config: Pick<GatewayConfig, 'maxConnectionsPerAddress' | 'trustedProxies'>,
): ConnectionLimit | undefined {
  const { maxConnectionsPerAddress: maxPerClient, trustedProxies } = config;
  if (maxPerClient === 0) return undefined;
  return {
    maxPerClient,
    clientOf(remoteAddress) {
      const address = toPlainAddress(remoteAddress);
      return LOOPBACK.test(address) || isIn(trustedProxies, address) ? undefined : toNetwork(address);
    },
  };
}
