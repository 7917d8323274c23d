import type { CallOptions } from '../harness/http-client.ts';
import type { Family, Held, ModelUser } from './credentials.ts';
import type { Findings } from './findings.ts';
import type { Acknowledged, Gateways } from './gateways.ts';
import type { Random } from './random.ts';

const MAX_HELD = 60;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** The users and credentials of one history, with what each must be, and the requests that change them. */
export class Model {
  readonly random: Random;
  readonly gateways: Gateways;
  readonly findings: Findings;
  readonly users: ModelUser[] = [];
  readonly held: Held[] = [];
  readonly families: Family[] = [];

  constructor(random: Random, gateways: Gateways, findings: Findings) {
    this.random = random;
    this.gateways = gateways;
    this.findings = findings;
  }

  /** Takes credentials away. Further statuses than the first mean that an earlier attempt has done it. */
  async take(held: Held[], action: string, change: () => Promise<Acknowledged>, statuses: number[]): Promise<boolean> {
    const affected = held.filter(({ valid }) => valid.state !== 'ended');
    for (const { valid } of affected) valid.set('changing');
    const made = await change();
    this.end(affected, made.atMs);
    const { status, text } = made.response;
    const isFirst = status === statuses[0];
    if (!isFirst && !(statuses.includes(status) && made.attempts > 1)) this.violate(`${action}: ${status} ${text}`);
    else if (isFirst && made.attempts === 1) this.remember(made, action);
    return true;
  }

  end(held: readonly Held[], atMs?: number): void {
    for (const { valid } of held) valid.set('ended', atMs);
  }

  endFamily(family: Family): void {
    family.hasEnded = true;
    this.end(this.tokensOf(family));
  }

  endFamilies(user: ModelUser): void {
    for (const family of this.families) if (family.user === user) family.hasEnded = true;
  }

  /** Forgets the oldest credentials. */
  hold(held: Held): void {
    this.held.push(held);
    if (this.held.length <= MAX_HELD) return;
    const oldest = this.held.findIndex(({ kind, valid }) => kind !== 'key' || valid.state === 'ended');
    this.held.splice(Math.max(oldest, 0), 1);
  }

  enabled(): ModelUser[] {
    return this.users.filter(({ isDisabled }) => !isDisabled);
  }

  good(kind: Held['kind']): Held[] {
    return this.held.filter((held) => held.kind === kind && held.valid.state === 'good' && !held.user?.isDisabled);
  }

  heldBy(user: ModelUser): Held[] {
    return this.held.filter((held) => held.user === user);
  }

  /** The texts of a key that are valid. */
  textsOf({ keyId }: Held): Held[] {
    return this.held.filter((held) => held.keyId === keyId && held.valid.state !== 'ended');
  }

  tokensOf(family: Family): Held[] {
    return this.held.filter((held) => held.family === family && held.valid.state !== 'ended');
  }

  change(method: string, path: string, options?: CallOptions): Promise<Acknowledged> {
    return this.gateways.change(() => this.random.below(this.gateways.count), method, path, options);
  }

  form(path: string, fields: Record<string, string>): Promise<Acknowledged> {
    return this.change('POST', path, { as: 'nobody', headers: FORM, body: String(new URLSearchParams(fields)) });
  }

  expect(made: Acknowledged, expected: number, action: string, isAudited = true): boolean {
    const { status, text } = made.response;
    if (status === expected && isAudited) this.remember(made, action);
    if (status !== expected) this.violate(`${action}: ${status} ${text}, after ${made.attempts} attempts`);
    return status === expected;
  }

  remember({ response }: Acknowledged, action: string): void {
    this.findings.audited.set(String(response.headers['x-request-id']), action);
  }

  violate(what: string): void {
    this.findings.violations.push(what);
  }
}
