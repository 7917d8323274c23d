import { fstatSync } from 'node:fs';
import { createLogger, type Logger } from '@agent-fleet/shared/logger';
import { type DestinationStream, pino } from 'pino';
import type { GatewayConfig } from '../config.ts';

const BATCH_BYTES = 16 * 1024;
/** Writes to a pipe are atomic up to this size (PIPE_BUF of Linux). */
const WHOLE_WRITE_BYTES = 4 * 1024;
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const FLUSH_EVERY_MS = 250;

/** The log of this process; where several share the output, each line names its process and stays whole. */
export function createGatewayLogger({ logLevel, processes }: GatewayConfig): Logger {
  const isShared = processes > 1;
  const logger = createLogger('gateway', logLevel, openLogDestination({ isShared }));
  return isShared ? logger.child({ pid: process.pid }) : logger;
}

/**
 * Buffered standard output: written in pieces of whole lines of at most 16 KiB, after 250 ms at the latest, and when
 * the process exits. When other processes write to the same pipe (`isShared`), pieces have 4 KiB, so that lines do not
 * interleave. Lines are dropped when 16 MiB wait for a stalled reader.
 */
export function openLogDestination({ isShared }: { isShared: boolean }): DestinationStream {
  const maxWrite = isShared && !fstatSync(1).isFile() ? WHOLE_WRITE_BYTES : BATCH_BYTES;
  return pino.destination({
    dest: 1,
    sync: false,
    maxWrite,
    minLength: maxWrite / 2,
    maxLength: MAX_WAITING_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  });
}
