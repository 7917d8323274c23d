/**
 * Every Redis key of users, keys, sessions and the audit trail. All share the hash tag `{auth}`, so that one script
 * changes them atomically, also in a Redis Cluster. services/identity/README.md lists the type, lifetime and content of
 * each key.
 */
export function createIdentityKeys(redisPrefix: string) {
  const prefix = `${redisPrefix}:{auth}:`;
  return {
    prefix,
    layout: `${prefix}layout`,
    user: (userId: string) => `${prefix}user:${userId}`,
    userEmail: (email: string) => `${prefix}user-email:${email}`,
    users: `${prefix}users`,
    admins: `${prefix}admins`,
    apiKey: (keyId: string) => `${prefix}key:${keyId}`,
    apiKeyHash: (digest: string) => `${prefix}key-hash:${digest}`,
    apiKeys: `${prefix}keys`,
    userApiKeys: (userId: string) => `${prefix}user-keys:${userId}`,
    session: (sessionId: string) => `${prefix}session:${sessionId}`,
    sessionHash: (digest: string) => `${prefix}session-hash:${digest}`,
    userSessions: (userId: string) => `${prefix}user-sessions:${userId}`,
    /** Exists while access tokens of an ended session, or an ended token, could still be valid. */
    revoked: (id: string) => `${prefix}revoked:${id}`,
    /** When a key or session was last used, in ms; written by the gateway. */
    used: (id: string) => `${prefix}used:${id}`,
    /** Exists once a token of an external issuer was accepted. */
    accepted: (digest: string) => `${prefix}accepted:${digest}`,
    reset: (digest: string) => `${prefix}reset:${digest}`,
    userReset: (userId: string) => `${prefix}user-reset:${userId}`,
    failures: (digest: string) => `${prefix}failures:${digest}`,
    /** The number of the last change. */
    change: `${prefix}change`,
    changes: `${prefix}changes`,
    audit: `${prefix}audit`,
    /** The last entry that came from the outbox of the agents service. */
    auditMoved: `${prefix}audit-moved`,
    auditLog: `${prefix}audit-log`,
    auditLogLock: `${prefix}audit-log-lock`,
    /** Written before a wait for the disk. */
    durable: `${prefix}durable`,
    /** Written before a wait for replicas. */
    replicated: `${prefix}replicated`,
  };
}

export type IdentityKeys = ReturnType<typeof createIdentityKeys>;
