/** Why a command failed although nothing is wrong with it. */
export type RedisErrorCause =
  /** The write happened, and fewer replicas than required have it. */
  | 'not_replicated'
  /** The server refuses writes while it has too few replicas (`min-replicas-to-write`). */
  | 'no_replicas'
  /** The server may be a former master, which may not have what was revoked. */
  | 'unproven'
  | 'timeout'
  | 'away'
  | 'out_of_memory'
  | 'disk'
  | 'read_only';

/** A write happened, but fewer replicas than required have it in time: whether it survives a failover is unknown. */
export class NotReplicatedError extends Error {
  override name = 'NotReplicatedError';
}

/** Nothing proves that the server is the present master. */
export class UnprovenMasterError extends Error {
  override name = 'UnprovenMasterError';
}

/** Prefixes of Redis' error replies, also of those that a script passes on. */
const CAUSE_BY_REPLY: Readonly<Record<string, RedisErrorCause>> = {
  NOREPLICAS: 'no_replicas',
  READONLY: 'read_only',
  OOM: 'out_of_memory',
  MISCONF: 'disk',
  BUSY: 'timeout',
  LOADING: 'away',
  MASTERDOWN: 'away',
  CLUSTERDOWN: 'away',
  TRYAGAIN: 'away',
  UNBLOCKED: 'away',
};
const AWAY_NAMES = new Set(['MaxRetriesPerRequestError', 'ClusterAllFailedError', 'AbortError']);
/** ioredis throws these as plain errors without a code. */
const AWAY_MESSAGES =
  /^(Connection is closed\.|Stream isn't writeable|Cluster isn't ready|Cluster is disconnect|None of startup nodes|Too many Cluster redirections)/;

/** Why Redis is temporarily unavailable; undefined when the error means something else. */
export function redisErrorCause(error: unknown): RedisErrorCause | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof NotReplicatedError) return 'not_replicated';
  if (error instanceof UnprovenMasterError) return 'unproven';
  if (error.name === 'ReplyError') return causeOfReply(error);
  if (error.message.startsWith('Command timed out')) return 'timeout';
  return AWAY_NAMES.has(error.name) || AWAY_MESSAGES.test(error.message) ? 'away' : undefined;
}

function causeOfReply(error: Error & { previousErrors?: unknown[] }): RedisErrorCause | undefined {
  const [code = ''] = error.message.split(' ', 1);
  // A transaction is discarded because of a command before.
  if (code === 'EXECABORT') return redisErrorCause(error.previousErrors?.[0]);
  return CAUSE_BY_REPLY[code];
}

/** Whether an error means that Redis is temporarily unavailable, not that a command is wrong. */
export function isRedisUnavailable(error: unknown): boolean {
  return redisErrorCause(error) !== undefined;
}
