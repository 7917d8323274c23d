import { digestOfSecret } from '@agent-fleet/access/api-key-text';
import type { IdentityKeys } from '@agent-fleet/access/keys';
import { type ApiKeyRecord, BROWSER_IDLE_MS, type SessionRecord, type UserRecord } from '@agent-fleet/access/records';
import { loadScript, type RedisScript } from '@agent-fleet/shared/redis/script';
import type { RedisStore } from '@agent-fleet/shared/redis/store';

/** Longer than any key is valid. */
const KEY_USE_KEPT_MS = 400 * 86_400_000;
/** More than that of any verification. */
const LEEWAY_MS = 60_000;

type Text = string | null;

export type Records = ReturnType<typeof createRecords>;

/** The records of identity that credentials depend on, each read in one round trip. */
export function createRecords(store: RedisStore, keys: IdentityKeys) {
  const { writes } = store;
  const { prefix } = keys;
  const load = (name: string): RedisScript => loadScript(store, new URL(`./${name}-1.lua`, import.meta.url));
  const readToken = load('read-token');
  const readApiKey = load('read-api-key');
  const readSession = load('read-session');

  /** Notes the use of a key. Never rejects, and nothing waits for it. */
  function noteUse(keyId: string): void {
    writes.run((redis) => redis.set(keys.used(keyId), Date.now(), 'PX', KEY_USE_KEPT_MS)).catch(() => {});
  }

  /** The same for a session, unless it has ended meanwhile. */
  function noteSession(id: string): void {
    writes.run((redis) => redis.set(keys.used(id), Date.now(), 'PX', BROWSER_IDLE_MS, 'XX')).catch(() => {});
  }

  return {
    async forToken(email: string, sessionId: string, tokenId: string) {
      const [user, revoked] = (await readToken([prefix], [email, sessionId, tokenId])) as [Text, number];
      return { user: parse<UserRecord>(user), isRevoked: revoked > 0 };
    },

    /** `id` without `key`: it was deleted. */
    async forApiKey(text: string) {
      const digest = digestOfSecret(text);
      const reply = (await readApiKey([prefix], [digest])) as [Text, Text, Text, number];
      const [id, key, owner, deletedParents] = reply;
      if (id !== null && key !== null) noteUse(id);
      return { digest, id, key: parse<ApiKeyRecord>(key), owner: parse<UserRecord>(owner), deletedParents };
    },

    /** For a key that needs no look-up. */
    noteUse,

    /** Whether no gateway has accepted this token of an external issuer before. */
    async isFirstUse(token: string, expiresAtMs: number): Promise<boolean> {
      // Without the signature, which may have more than one form.
      const digest = digestOfSecret(token.slice(0, token.lastIndexOf('.')));
      // A token is accepted for a while after its end.
      const untilMs = Math.ceil(expiresAtMs) + LEEWAY_MS;
      const noted = await writes.run((redis) => redis.set(keys.accepted(digest), '1', 'PXAT', untilMs, 'NX'));
      return noted === 'OK';
    },

    async forCookie(cookie: string) {
      const reply = (await readSession([prefix], [digestOfSecret(cookie)])) as [Text, Text];
      const session = parse<SessionRecord>(reply[0]);
      if (session) noteSession(session.id);
      return { session, user: parse<UserRecord>(reply[1]) };
    },
  };
}

function parse<Record>(text: Text): Record | undefined {
  return text === null ? undefined : (JSON.parse(text) as Record);
}
