/** Every Redis key of this service. One hash tag: all of them live in one slot of a cluster. */
export interface RegistryKeys {
  /** HASH `{meta: JSON of SnapshotMeta, body: brotli of the raw bytes}`; kept 30 days after the last check. */
  snapshot(sourceKey: string): string;
  /** STRING, JSON of Check: the last check of upstream by any replica; kept as long. */
  check(sourceKey: string): string;
  /** Pub/sub channel: something of this source has changed. */
  changed(sourceKey: string): string;
  /** BullMQ's own keys begin with this and `:refresh-<source key>:`. */
  queuePrefix: string;
}

/** `prefix` is REDIS_PREFIX; `sourceKey` that of a Source. */
export function registryKeys(prefix: string): RegistryKeys {
  const base = `${prefix}:{registry}`;
  return {
    snapshot: (sourceKey) => `${base}:snapshot:${sourceKey}`,
    check: (sourceKey) => `${base}:check:${sourceKey}`,
    changed: (sourceKey) => `${base}:changed:${sourceKey}`,
    queuePrefix: base,
  };
}
