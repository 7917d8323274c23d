/** Every Redis key of this service. One hash tag: all of them live in one slot of a cluster. `sources`: see `sourcesKey`. */
export interface RegistryKeys {
  /**
   * HASH `{meta: JSON of SnapshotMeta, history: gzip of JSON, d:<digest>:<0, 1…>: a piece of the gzip of a document}`; kept 30 days after the
   * last check.
   */
  snapshot(sources: string): string;
  /** HASH of the same form: built by one replica and made ready by the others, 10 minutes at most. */
  staged(sources: string): string;
  /** HASH of the same form that a replica is writing; kept as long. */
  draft(sources: string, replica: string): string;
  /** SET of the replicas that can switch to a staged snapshot at once; kept as long. `snapshot` is its id and time: the same files may be staged again. */
  ready(sources: string, snapshot: string): string;
  /** ZSET of the replicas by when they were last seen. */
  replicas(sources: string): string;
  /** STRING, JSON of Check: the last check of the sources by any replica; kept as long as a snapshot. */
  check(sources: string): string;
  /** STRING, a body in brotli of the highest quality, or empty while a replica makes it; `digest` is that of the body. Kept a day. */
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
