import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@agent-fleet/shared/testing/until';
import { apiKey, bearer, type NewApiKey } from '../../harness/accounts.ts';
import type { Credential } from '../../harness/http-client.ts';
import type { Random } from '../../histories/random.ts';
import { signIn } from './agent-changer.ts';
import { Client } from './client.ts';
import { OpenStream } from './open-stream.ts';

const EVERY_MS = 300;
const LIVE = 4;
/** So few that each is tried again while a gateway may still have it. */
const MAX_ENDED = 40;
/** A gateway refuses what was revoked after this time, and accepts what is new. */
const KNOWN_AFTER_MS = 3_000;
/** A gateway that reaches no Redis, or a former primary, goes on with what it has verified in the last 30 s. */
const FORGOTTEN_AFTER_MS = 33_000;
/** When it reaches the primary again. */
const RECOVERED_AFTER_MS = 10_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** A credential with the time since which it must be accepted, or refused. */
interface Held {
  name: string;
  as: Credential;
  sinceMs: number;
  isEnded: boolean;
  revoke: () => Promise<void>;
  /** Ends with it. */
  stream: OpenStream;
}

/** Makes keys and tokens, uses them at every gateway, each with an open event stream at one, and revokes them. */
export class CredentialUser {
  readonly #client: Client;
  readonly #random: Random;
  readonly #gateways: Client[];
  #held: Held[] = [];
  /** Of credentials that have ended, and perhaps still open. */
  #ending: Held[] = [];

  /** `client` goes through the load balancer. */
  constructor(client: Client, gatewayUrls: readonly string[], random: Random) {
    this.#client = client;
    this.#random = random;
    this.#gateways = gatewayUrls.map((url, at) => new Client(`${client.name}-at-${at + 1}`, url, client.ledger));
  }

  async run(isOver: () => boolean): Promise<void> {
    const uses = this.#use(isOver);
    for (let made = 0; !isOver(); ) {
      const live = this.#held.filter(({ isEnded }) => !isEnded);
      if (live.length < LIVE) {
        const held = await this.#make(made++);
        this.#held.push(held);
      } else await this.#revoke(this.#random.pick(live) as Held);
      await sleep(EVERY_MS);
    }
    await uses;
  }

  /** Uses every credential at every gateway once, when all gateways must know it. */
  async checkAll(): Promise<void> {
    await until(() => this.#isTold(performance.now()), { message: 'the gateways know', timeoutMs: FORGOTTEN_AFTER_MS });
    for (const held of this.#held) {
      for (const gateway of this.#gateways) {
        const answers = () => this.#check(held, gateway);
        await until(answers, { timeoutMs: RECOVERED_AFTER_MS }).catch(() => this.#violate(held, gateway, 'no answer'));
      }
    }
    for (const gateway of this.#gateways) gateway.close();
    await this.#checkStreams();
  }

  async #checkStreams(): Promise<void> {
    await until(() => this.#stillOpen().length === 0, { timeoutMs: FORGOTTEN_AFTER_MS }).catch(() => undefined);
    for (const { name } of this.#stillOpen()) this.#client.ledger.violate(`${name}: its event stream has not ended`);
    for (const { stream } of [...this.#held, ...this.#ending]) stream.close();
  }

  #stillOpen(): Held[] {
    this.#ending = this.#ending.filter(({ stream }) => stream.isOpen);
    return this.#ending;
  }

  async #use(isOver: () => boolean): Promise<void> {
    const checks = new Set<Promise<boolean>>();
    while (!isOver()) {
      const kind = this.#random.next() < 0.5;
      const held = this.#random.pick(this.#held.filter(({ isEnded }) => isEnded === kind));
      // A gateway that is broken must not keep this one from using another.
      if (held) {
        const check = this.#check(held, this.#random.pick(this.#gateways) as Client);
        checks.add(check);
        void check.finally(() => checks.delete(check));
      }
      await sleep(EVERY_MS);
    }
    await Promise.all(checks);
  }

  /** In turn a key and a token. */
  #make(made: number): Promise<Held> {
    const name = `${this.#client.name}-${made}`;
    return made % 2 === 0 ? this.#makeKey(name) : this.#makeToken(name);
  }

  async #makeKey(name: string): Promise<Held> {
    const made = await this.#client.change('POST', '/api-keys', { body: { name, role: 'viewer' } });
    if (made.status !== 201) throw new Error(`${name}: ${made.status} ${made.text}`);
    const { id, key } = made.json as NewApiKey;
    // An owner may have a hundred keys: those whose response was lost count too.
    if (made.attempts > 1) await this.#deleteOthers(name, id);
    const revoke = async () => {
      const { status, text, attempts } = await this.#client.change('DELETE', `/api-keys/${id}`);
      if (status !== 204 && !(status === 404 && attempts > 1)) {
        this.#client.ledger.violate(`${name}: deleted with ${status} ${text}`);
      }
    };
    return this.#hold(name, apiKey(key), revoke);
  }

  async #deleteOthers(name: string, id: string): Promise<void> {
    const keys = await this.#client.get<NewApiKey[]>('/api-keys?limit=1000');
    for (const key of keys) {
      if (key.name === name && key.id !== id) await this.#expect('DELETE', `/api-keys/${key.id}`, [204, 404]);
    }
  }

  async #makeToken(name: string): Promise<Held> {
    const token = await signIn(this.#client);
    const revoke = () => this.#expect('POST', '/revoke', [200], `token=${token}`);
    return this.#hold(name, bearer(token), revoke);
  }

  #hold(name: string, as: Credential, revoke: () => Promise<void>): Held {
    const stream = new OpenStream((this.#random.pick(this.#gateways) as Client).url, as);
    return { name, as, sinceMs: performance.now(), isEnded: false, revoke, stream };
  }

  async #expect(method: string, path: string, statuses: number[], body?: string): Promise<void> {
    const options = body === undefined ? {} : { as: 'nobody' as const, headers: FORM, body };
    const { status, text } = await this.#client.change(method, path, options);
    if (!statuses.includes(status)) this.#client.ledger.violate(`${method} ${path}: ${status} ${text}`);
  }

  async #revoke(held: Held): Promise<void> {
    held.sinceMs = Number.POSITIVE_INFINITY;
    await held.revoke();
    held.isEnded = true;
    held.sinceMs = performance.now();
    this.#ending = [...this.#stillOpen(), held];
    const ended = this.#held.filter(({ isEnded }) => isEnded);
    if (ended.length > MAX_ENDED) this.#held = this.#held.filter((one) => one !== ended[0]);
  }

  /** Whether every gateway has reached the primary since a change 3 s ago. */
  #isTold(nowMs: number): boolean {
    return this.#client.ledger.news.since(nowMs - RECOVERED_AFTER_MS - KNOWN_AFTER_MS);
  }

  /** Returns whether the gateway has accepted or refused it. */
  async #check(held: Held, gateway: Client): Promise<boolean> {
    const { sinceMs, isEnded } = held;
    const startedMs = performance.now();
    const response = await gateway.send('GET', '/agents?limit=1', { as: held.as });
    if (!response || response.status >= 500) return false;
    const isAccepted = response.status === 200;
    // Changed meanwhile: either is right.
    if (isAccepted !== isEnded || held.sinceMs !== sinceMs) return true;
    const ageMs = Math.round(startedMs - sinceMs);
    const isTold = this.#isTold(startedMs);
    if (isEnded) {
      const allowedMs = isTold ? KNOWN_AFTER_MS : FORGOTTEN_AFTER_MS;
      if (ageMs > allowedMs) this.#violate(held, gateway, `accepted ${ageMs} ms after its end`);
      else this.#ending.push({ ...held, stream: new OpenStream(gateway.url, held.as) });
    } else if (ageMs > KNOWN_AFTER_MS) {
      // Otherwise made or judged by a moved clock.
      const isInTime = this.#client.ledger.clocks.since(Math.min(sinceMs, startedMs - FORGOTTEN_AFTER_MS));
      // A former primary does not know it: it is used again.
      if (isInTime && !isTold) return true;
      if (isInTime) this.#violate(held, gateway, `refused with ${response.status} ${ageMs} ms after it was made`);
      // It may be accepted again later.
      this.#held = this.#held.filter((one) => one !== held);
      held.stream.close();
    }
    return true;
  }

  #violate({ name }: Held, gateway: Client, problem: string): void {
    this.#client.ledger.violate(`${name} at ${gateway.name}: ${problem}`);
  }
}
