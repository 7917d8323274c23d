/** What `INFO` tells of a server. */
export interface RedisInfo {
  memoryUsed: number;
  /** 0: no limit. */
  memoryMax: number;
  clients: number;
  commands: number;
  uptimeSeconds: number;
  /** Replicas in sync, and how far the last one is behind. */
  replicas: number;
  lagSeconds: number;
  lagBytes: number;
  aofEnabled: boolean;
  /** The last write and the last rewrite of the append-only file succeeded. */
  aofHealthy: boolean;
  aofBytes: number;
  delayedFsyncs: number;
}

export const INFO_SECTIONS = ['server', 'clients', 'memory', 'persistence', 'stats', 'replication'] as const;

/** Parses the reply to `INFO`. */
export function parseInfo(text: string): RedisInfo {
  const fields = new Map(
    text
      .split('\r\n')
      .filter((line) => line.includes(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)] as const),
  );
  const number = (name: string) => Number(fields.get(name) ?? 0);
  const online = [...fields]
    .filter(([name, value]) => /^slave\d+$/.test(name) && value.includes('state=online'))
    .map(([, value]) => Object.fromEntries(value.split(',').map((part) => part.split('='))) as Record<string, string>);
  const offset = number('master_repl_offset');
  return {
    memoryUsed: number('used_memory'),
    memoryMax: number('maxmemory'),
    clients: number('connected_clients'),
    commands: number('total_commands_processed'),
    uptimeSeconds: number('uptime_in_seconds'),
    replicas: online.length,
    lagSeconds: Math.max(0, ...online.map(({ lag }) => Number(lag))),
    lagBytes: Math.max(0, ...online.map((replica) => offset - Number(replica.offset))),
    aofEnabled: fields.get('aof_enabled') === '1',
    aofHealthy: ['aof_last_write_status', 'aof_last_bgrewrite_status'].every((name) => fields.get(name) === 'ok'),
    aofBytes: number('aof_current_size'),
    delayedFsyncs: number('aof_delayed_fsync'),
  };
}
