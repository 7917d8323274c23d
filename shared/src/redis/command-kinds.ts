import { exists, hasFlag } from '@ioredis/commands';
import type { Command } from 'ioredis';

/** Commands about the server, which Redis does not count as reads. */
const SERVER_READS = new Set(['ping', 'info']);

/** Whether a command only reads; a script must declare it (`loadScript`). */
export function isRead({ name, isReadOnly }: Command): boolean {
  return isReadOnly || SERVER_READS.has(name) || has(name, 'readonly');
}

/** Whether a command may write. Those of a transaction count as its EXEC. */
export function isWrite(command: Command): boolean {
  const { name, inTransaction } = command;
  if (name === 'exec') return true;
  const mayWrite = name === 'eval' || name === 'evalsha' || has(name, 'write');
  return mayWrite && !inTransaction && !isRead(command);
}

function has(name: string, flag: string): boolean {
  return exists(name, { caseInsensitive: true }) && hasFlag(name, flag, { nameCaseInsensitive: true });
}
