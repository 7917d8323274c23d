import { randomBytes } from 'node:crypto';
import type { Logger } from '@agent-fleet/shared/logger';
import type { GatewayConfig } from '../config.ts';

/** In development, without a key: one secret for all processes, because each verifies the others' tokens. */
export function temporarySecret({ signingKey }: GatewayConfig, logger: Logger): { JWT_SECRET?: string } {
  if (signingKey !== undefined) return {};
  logger.warn('JWT_SECRET is not set: access tokens are valid only in this gateway, until it ends');
  return { JWT_SECRET: randomBytes(32).toString('base64') };
}
