import { randomBytes } from 'node:crypto';
import type { Role } from '@agent-fleet/shared/contract/scopes';
import { type CallOptions, type Credential, expectStatus, type HttpResponse } from './http-client.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export interface User {
  id: string;
  email: string;
  role: Role;
  disabled: boolean;
  created_at: string;
  last_sign_in_at: string | null;
}

/** A user with its password. */
export interface Account extends User {
  password: string;
}

export interface ApiKey {
  id: string;
  name: string;
  scopes: string[];
  agent_ids: string[] | null;
  owner: string | null;
  source: string;
  created_at: string | null;
  expires_at: string | null;
  last_used_at: string | null;
  rate_limit_per_minute: number | null;
}

/** An API key with its text. */
export interface NewApiKey extends ApiKey {
  key: string;
}

export interface TokenReply {
  access_token: string;
  token_type: string;
  expires_in: number;
  refresh_token?: string;
  scope?: string;
}

type Call = (method: string, path: string, options?: CallOptions) => Promise<HttpResponse>;

export function bearer(token: string): Credential {
  return { authorization: `Bearer ${token}` };
}

export function apiKey(text: string): Credential {
  return { 'x-api-key': text };
}

/** Users, keys and sessions that tests create. Users and keys are deleted at the end. */
export class Accounts {
  /** Every password, token, key, cookie and reset code of a test so far: no log may have one. */
  readonly secrets = new Set<string>();
  readonly #call: Call;
  readonly #users = new Set<string>();
  readonly #keys = new Set<string>();

  constructor(call: Call) {
    this.#call = call;
  }

  /** Creates a user who can sign in. */
  async create(role: Role = 'viewer', email = randomEmail()): Promise<Account> {
    const password = this.newPassword();
    return { ...(await this.#createUser({ email, role, password })), password };
  }

  /** Creates a user who has no password yet. */
  invite(role: Role = 'viewer'): Promise<User> {
    return this.#createUser({ email: randomEmail(), role });
  }

  newPassword(): string {
    return this.#secret(`pass phrase ${randomBytes(12).toString('hex')}`);
  }

  /** Sends a form to `POST /token`. */
  postToken(fields: Record<string, string>, options?: CallOptions): Promise<HttpResponse> {
    return this.#postForm('/token', fields, options);
  }

  /** Gets a token by password. `scope` narrows it; `offline_access` asks for a refresh token. */
  async signIn({ email: username, password }: Pick<Account, 'email' | 'password'>, scope = ''): Promise<TokenReply> {
    return this.#keep(expectStatus(await this.postToken({ username, password, scope }), 200));
  }

  async signInAs(account: Pick<Account, 'email' | 'password'>, scope?: string): Promise<Credential> {
    return bearer((await this.signIn(account, scope)).access_token);
  }

  /** Uses a refresh token. */
  async refresh(refreshToken: string, fields: Record<string, string> = {}): Promise<HttpResponse> {
    const response = await this.postToken({ grant_type: 'refresh_token', refresh_token: refreshToken, ...fields });
    if (response.status === 200) this.#keep(response.json as TokenReply);
    return response;
  }

  revoke(token: string): Promise<HttpResponse> {
    return this.#postForm('/revoke', { token });
  }

  postSession(fields: unknown, headers: CallOptions['headers'] = {}): Promise<HttpResponse> {
    return this.#call('POST', '/session', { as: 'nobody', headers, body: fields });
  }

  /** Signs a browser in, and returns its cookie, as a page of the same origin sends it. */
  async openSession({ email: username, password }: Pick<Account, 'email' | 'password'>): Promise<Credential> {
    const { status, headers } = await this.postSession({ username, password });
    const [cookie = ''] = headers['set-cookie'] ?? [];
    if (status !== 204) throw new Error(`Not signed in: ${status}`);
    this.#secret(cookie.slice(cookie.indexOf('=') + 1, cookie.indexOf(';')));
    return { cookie: cookie.slice(0, cookie.indexOf(';')), 'sec-fetch-site': 'same-origin' };
  }

  /** Sends `POST /api-keys`; by default the key has the scopes of a viewer. */
  async postKey(fields: Record<string, unknown> = {}, as: CallOptions['as'] = 'key'): Promise<HttpResponse> {
    const grant = 'scopes' in fields || 'role' in fields ? {} : { role: 'viewer' };
    const response = await this.#call('POST', '/api-keys', { as, body: { name: 'A key', ...grant, ...fields } });
    return this.#keepKey(response);
  }

  async createKey(fields?: Record<string, unknown>, as?: CallOptions['as']): Promise<NewApiKey> {
    return expectStatus<NewApiKey>(await this.postKey(fields, as), 201);
  }

  async rotate(keyId: string, body?: unknown, as?: CallOptions['as']): Promise<HttpResponse> {
    return this.#keepKey(await this.#call('POST', `/api-keys/${keyId}/rotations`, { as, body }));
  }

  /** Creates a reset code. */
  async createReset(userId: string): Promise<string> {
    const response = await this.#call('POST', `/users/${userId}/password-resets`);
    return this.#secret(expectStatus<{ code: string }>(response, 201).code);
  }

  useReset(code: string, new_password: string): Promise<HttpResponse> {
    return this.#call('PUT', `/password-resets/${code}`, { as: 'nobody', body: { new_password } });
  }

  /** Deletes what is left. */
  async remove(): Promise<void> {
    for (const id of this.#keys) await this.#call('DELETE', `/api-keys/${id}`);
    for (const id of this.#users) await this.#call('DELETE', `/users/${id}`);
  }

  async #createUser(body: Record<string, string>): Promise<User> {
    const user = expectStatus<User>(await this.#call('POST', '/users', { body }), 201);
    this.#users.add(user.id);
    return user;
  }

  #postForm(path: string, fields: Record<string, string>, options: CallOptions = {}): Promise<HttpResponse> {
    const headers = { ...FORM, ...options.headers };
    return this.#call('POST', path, {
      as: 'nobody',
      body: String(new URLSearchParams(fields)),
      ...options,
      headers,
    });
  }

  #keep(reply: TokenReply): TokenReply {
    // The signature is what nobody may have.
    this.#secret(reply.access_token.slice(reply.access_token.lastIndexOf('.') + 1));
    if (reply.refresh_token !== undefined) this.#secret(reply.refresh_token);
    return reply;
  }

  #keepKey(response: HttpResponse): HttpResponse {
    const { id, key } = Object(response.json) as Partial<NewApiKey>;
    if (id !== undefined && response.status === 201) this.#keys.add(id);
    // The part before the last underscore is the public id of the key.
    if (key !== undefined) this.#secret(key.slice(key.lastIndexOf('_') + 1));
    return response;
  }

  #secret(text: string): string {
    this.secrets.add(text);
    return text;
  }
}

function randomEmail(): string {
  return `user-${randomBytes(8).toString('hex')}@e2e.example`;
}
