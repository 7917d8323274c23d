/** Every Redis key of this service. One hash tag keeps them in one cluster slot. `sources`: see `sourcesKey`. */
export interface RegistryKeys {
  /**
   * HASH `{meta: JSON of SnapshotMeta, history: gzip of JSON, d:<digest>:<0, 1…>: piece of a gzipped document}`; kept
   * for 30 days after the last check.
   */
  snapshot(sources: string): string;
  /** HASH of the same form: built by one replica and prepared by the others; kept for 10 minutes. */
  staged(sources: string): string;
  /** HASH of the same form that a replica is writing; kept as long. */
  draft(sources: string, replica: string): string;
  /**
   * SET of the replicas that can switch to a staged snapshot at once; kept as long. `snapshot` is its id and time, as
   * the same files may be staged again.
   */
  ready(sources: string, snapshot: string): string;
  /** ZSET of the replicas by the time when they were last seen. */
  replicas(sources: string): string;
  /** STRING, JSON of Check: the last check of the sources by any replica; kept as long as a snapshot. */
  check(sources: string): string;
  /** STRING, a body in brotli at the highest level; empty while a replica makes it. Kept for a day. */
  best(digest: string): string;
  /** Pub/sub channel: something of these sources has changed. */
  changed(sources: string): string;
  /** BullMQ's own keys begin with this and `:refresh-<sources>:`. */
  queuePrefix: string;
}

/** `prefix` is REDIS_PREFIX. */
export function registryKeys(prefix: string): RegistryKeys {
  const base = `${prefix}:{registry}`;
  return {
    snapshot: (sources) => `${base}:snapshot:${sources}`,
    staged: (sources) => `${base}:staged:${sources}`,
    draft: (sources, replica) => `${base}:draft:${sources}:${replica}`,
    ready: (sources, snapshot) => `${base}:ready:${sources}:${snapshot}`,
    replicas: (sources) => `${base}:replicas:${sources}`,
    check: (sources) => `${base}:check:${sources}`,
    best: (digest) => `${base}:best:${digest}`,
    changed: (sources) => `${base}:changed:${sources}`,
    queuePrefix: base,
  };
}
