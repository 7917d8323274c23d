export type RegistryKeys = ReturnType<typeof registryKeys>;

/**
 * Every Redis key of this service. One hash tag keeps them in one cluster slot. `prefix` is REDIS_PREFIX, `sources` a
 * `sourcesKey`.
 */
export function registryKeys(prefix: string, sources: string) {
  const base = `${prefix}:{registry}`;
  return {
    /**
     * HASH `{meta: JSON of SnapshotMeta, history: gzip of JSON, trends: gzip of JSON, d:<digest>:<0, 1…>: piece of a
     * gzipped document}`; kept for 30 days after the last check.
     */
    snapshot: `${base}:snapshot:${sources}`,
    /** HASH of the same form: built by one replica and prepared by the others; kept for 10 minutes. */
    staged: `${base}:staged:${sources}`,
    /** HASH of the same form that a replica is writing; kept as long. */
    draft: (replica: string) => `${base}:draft:${sources}:${replica}`,
    /**
     * SET of the replicas that can switch to a staged snapshot at once; kept as long. `snapshot` is its id and time, as
     * the same files may be staged again.
     */
    ready: (snapshot: string) => `${base}:ready:${sources}:${snapshot}`,
    /** ZSET of the replicas by the time when they were last seen. */
    replicas: `${base}:replicas:${sources}`,
    /** STRING, JSON of Check: the last check of the sources by any replica; kept as long as a snapshot. */
    check: `${base}:check:${sources}`,
    /** STRING, the UUID of this installation, whatever its sources; never expires. */
    installation: `${base}:installation`,
    /** Pub/sub channel: something of these sources has changed. */
    changed: `${base}:changed:${sources}`,
    /** BullMQ's own keys begin with this and `:refresh-<sources>:`. */
    queuePrefix: base,
  };
}
