import { randomBytes, randomUUID } from 'node:crypto';
import { createApiKeyText, digestOfSecret } from '@agent-fleet/access/api-key-text';
import type { AuditEntry } from '@agent-fleet/access/audit';
import { createIdentityKeys, type IdentityKeys } from '@agent-fleet/access/keys';
import { type ApiKeyRecord, BROWSER_IDLE_MS, type SessionRecord, type UserRecord } from '@agent-fleet/access/records';
import type { SigningKey } from '@agent-fleet/access/tokens/signing-key';
import { createTokens, type TokenClaims, type TokenSettings } from '@agent-fleet/access/tokens/token';
import { own } from '@agent-fleet/scripts/testing/own';
import { scopesOf } from '@agent-fleet/shared/contract/scopes';
import { createLogger } from '@agent-fleet/shared/logger';
import { connectRedis, type RedisClient } from '@agent-fleet/shared/redis/connection';
import { testRedisUrl } from '@agent-fleet/shared/testing/redis';
import type { GatewayConfig } from '../../src/config.ts';

export const EMAIL = 'admin@example.com';
const DAY_MS = 86_400_000;
/** As the script of identity writes: records and numbered changes at once. */
const COMMIT = `
local args = cjson.decode(ARGV[1])
for _, command in ipairs(args.commands) do redis.call(unpack(command)) end
for _, name in ipairs(args.changes) do
  local number = redis.call('INCR', KEYS[1] .. 'change')
  redis.call('XADD', KEYS[1] .. 'changes', 'MAXLEN', '~', 10000, number .. '-0', 'c', name)
end`;

type Command = (string | number)[];
type ConfigOfTokens = Pick<GatewayConfig, 'redis' | 'signingKey' | 'tokens'>;

/** Writes users, keys and sessions as the identity service does, into the Redis of the tests. */
export class TestIdentity {
  readonly redis: RedisClient;
  readonly keys: IdentityKeys;
  readonly #signingKey: SigningKey;
  readonly #settings: TokenSettings;
  #admin: Promise<UserRecord> | undefined;

  constructor({ redis: { prefix }, signingKey, tokens }: ConfigOfTokens) {
    // Connects with the first command.
    const options = { lazyConnect: true, enableOfflineQueue: true };
    this.redis = connectRedis(testRedisUrl(), createLogger('test', 'silent'), options);
    own(() => this.redis.disconnect());
    this.keys = createIdentityKeys(prefix);
    this.#signingKey = signingKey;
    this.#settings = tokens;
  }

  async commit(commands: Command[], changes: string[] = []): Promise<void> {
    const args = { commands: commands.map((command) => command.map(String)), changes };
    await this.redis.eval(COMMIT, 1, this.keys.prefix, JSON.stringify(args));
  }

  async addUser(fields: Partial<UserRecord> = {}): Promise<UserRecord> {
    const user: UserRecord = {
      id: randomUUID(),
      email: `${randomUUID()}@example.com`,
      role: 'admin',
      disabled: false,
      created_at: new Date().toISOString(),
      last_sign_in_at: null,
      password_hash: null,
      tokens_valid_after: 0,
      kept_session: null,
      ...fields,
    };
    const names = ['SET', this.keys.userEmail(user.email), user.id];
    await this.commit([names, ['SET', this.keys.user(user.id), JSON.stringify(user)]]);
    return user;
  }

  async #addAdmin(): Promise<UserRecord> {
    const id = await this.redis.get(this.keys.userEmail(EMAIL));
    return id === null
      ? await this.addUser({ email: EMAIL })
      : JSON.parse((await this.redis.get(this.keys.user(id))) as string);
  }

  /** The user of `EMAIL`, which is added once. */
  admin(): Promise<UserRecord> {
    this.#admin ??= this.#addAdmin();
    return this.#admin;
  }

  async changeUser(user: UserRecord, fields: Partial<UserRecord>): Promise<UserRecord> {
    const changed = { ...user, ...fields };
    await this.commit([['SET', this.keys.user(user.id), JSON.stringify(changed)]], [`user:${user.id}`]);
    return changed;
  }

  async removeUser({ id, email }: UserRecord): Promise<void> {
    await this.commit([['DEL', this.keys.user(id), this.keys.userEmail(email)]], [`user:${id}`]);
  }

  /** Issues a token as `POST /token` does. */
  issue({ id, email, role }: UserRecord, claims: Partial<TokenClaims> = {}): string {
    return createTokens(this.#signingKey, this.#settings).issue({
      subject: email,
      userId: id,
      sessionId: randomUUID(),
      tokenId: randomUUID(),
      scopes: scopesOf(role),
      authTimeMs: Date.now(),
      ...claims,
    });
  }

  /** Ends a session with its tokens, or a token. */
  async revoke(kind: 'session' | 'token', id: string): Promise<void> {
    await this.commit([['SET', this.keys.revoked(id), '1', 'PX', DAY_MS]], [`${kind}:${id}`]);
  }

  async addApiKey(fields: Partial<ApiKeyRecord> = {}) {
    const text = createApiKeyText();
    const record: ApiKeyRecord = {
      id: randomUUID(),
      name: 'a key',
      scopes: [...scopesOf('admin')],
      agent_ids: null,
      owner_id: null,
      owner: 'oidc:corp:maker',
      created_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + DAY_MS).toISOString(),
      rate_limit_per_minute: null,
      hash: digestOfSecret(text),
      previous: [],
      parents: [],
      ...fields,
    };
    const hashes = ['SET', this.keys.apiKeyHash(digestOfSecret(text)), record.id];
    await this.commit([hashes, ['SET', this.keys.apiKey(record.id), JSON.stringify(record)]]);
    return { text, record };
  }

  /** Replaces the text of a key; the one before stays valid until `until`. */
  async rotateApiKey(record: ApiKeyRecord, until: Date) {
    const text = createApiKeyText();
    const previous = [{ hash: record.hash, until: until.toISOString() }];
    const rotated = { ...record, hash: digestOfSecret(text), previous };
    const hashes = ['SET', this.keys.apiKeyHash(rotated.hash), record.id];
    await this.commit([hashes, ['SET', this.keys.apiKey(record.id), JSON.stringify(rotated)]], [`key:${record.id}`]);
    return { text, record: rotated };
  }

  async removeApiKey({ id }: ApiKeyRecord): Promise<void> {
    await this.commit([['DEL', this.keys.apiKey(id)]], [`key:${id}`]);
  }

  async addSession(user: UserRecord, fields: Partial<SessionRecord> = {}, idleMs = BROWSER_IDLE_MS) {
    const cookie = randomBytes(32).toString('base64url');
    const now = new Date().toISOString();
    const session: SessionRecord = {
      id: randomUUID(),
      kind: 'browser',
      user_id: user.id,
      created_at: now,
      last_used_at: now,
      expires_at: new Date(Date.now() + 7 * DAY_MS).toISOString(),
      address: '127.0.0.1',
      user_agent: 'a browser',
      scopes: null,
      hash: digestOfSecret(cookie),
      previous: null,
      ...fields,
    };
    await this.commit([
      ['SET', this.keys.session(session.id), JSON.stringify(session)],
      ['SET', this.keys.sessionHash(session.hash), session.id],
      ['SET', this.keys.used(session.id), Date.now(), 'PX', idleMs],
    ]);
    return { cookie, session };
  }

  async endSession({ id, hash }: SessionRecord): Promise<void> {
    await this.commit(
      [['DEL', this.keys.session(id), this.keys.sessionHash(hash), this.keys.used(id)]],
      [`session:${id}`],
    );
  }

  /** The entries of the audit trail, the oldest first. */
  async audit(): Promise<AuditEntry[]> {
    const entries = await this.redis.xrange(this.keys.audit, '-', '+');
    return entries.map(([, fields]) => JSON.parse(fields[1] as string));
  }
}
