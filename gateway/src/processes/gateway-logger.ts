import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import type { GatewayConfig } from '../config.ts';
import { openLogDestination } from '../observability/log-destination.ts';

/** The log of this process; where several share the output, each line names its process and stays whole. */
export function createGatewayLogger({ logLevel, processes }: GatewayConfig): Logger {
  const isShared = processes > 1;
  const logger = createLogger('gateway', logLevel, openLogDestination({ isShared }));
  return isShared ? logger.child({ pid: process.pid }) : logger;
}
