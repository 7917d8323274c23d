import { randomBytes } from 'node:crypto';
import type { Logger } from '@agent-fleet/shared/logger';
import type { GatewayConfig } from '../config.ts';

/** In development, without a key: one for all processes, as a token that one issues comes back to another. */
export function temporarySecret({ signingKey }: GatewayConfig, logger: Logger): { JWT_SECRET?: string } {
  if (signingKey !== undefined) return {};
  logger.warn('JWT_SECRET is not set: access tokens end with this process, and no other replica takes them');
  return { JWT_SECRET: randomBytes(32).toString('base64') };
}
