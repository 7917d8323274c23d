import { hash } from 'node:crypto';
import { isId } from '@agent-fleet/shared/ids';
import { LRUCache } from 'lru-cache';
import { type BudgetInput, toStoredBudget } from '../agent-work/budget.ts';
import { parseRecord } from '../contract/fields.ts';
import type { FleetContext } from '../redis/fleet-context.ts';
import { loadFleetScript } from '../redis/scripts.ts';
import type { Definition } from './definition.ts';

/** Versions that this process remembers, and the length of their records. They never change. */
const REMEMBERED = { max: 5_000, maxSize: 16 * 1024 * 1024 };
/** Tries to do something with the current version, which others may replace meanwhile. */
const MAX_TRIES = 20;

/** A version, with its record. */
export interface StoredDefinition {
  json: string;
  definition: Definition;
}

type Content = Omit<Definition, 'version' | 'created_at' | 'created_by'>;
type Put = { outcome: 'created' | 'replaced' | 'same'; json: string } | { outcome: 'missing' | 'stale' | 'too large' };

/** In place of a result: the agent has another version now. */
export const REDEFINED = { outcome: 'redefined' } as const;

/** Stores the versions of the definitions of agents in Redis. */
export class DefinitionStore {
  readonly #redis;
  readonly #keys;
  readonly #put;
  readonly #delete;
  readonly #versions = new LRUCache<string, StoredDefinition>({
    ...REMEMBERED,
    sizeCalculation: ({ json }) => json.length,
  });
  /** The current version of agents, 0 for none, as this process has seen it last. */
  readonly #current = new LRUCache<string, number>({ max: REMEMBERED.max });

  constructor(context: FleetContext) {
    this.#redis = context.redis;
    this.#keys = context.keys;
    this.#put = loadFleetScript(context, 'definitions/put-definition');
    this.#delete = loadFleetScript(context, 'definitions/delete-definition');
  }

  /** With `etags`, only if one of them is that of the current version. */
  async put(
    agent: string,
    content: Content,
    { at, by, etags, audit }: { at: number; by: Definition['created_by']; etags: string[]; audit: string | undefined },
  ): Promise<Put> {
    const { note, ...fields } = content;
    const digest = hash('sha256', JSON.stringify(content));
    const created = { created_at: new Date(at).toISOString(), created_by: by, note };
    const record = JSON.stringify({ ...fields, ...created });
    const budget = content.budget ? toStoredBudget(content.budget as BudgetInput, at) : undefined;
    const [outcome, json] = await this.#put(
      { agent, at, etags, digest, max_concurrency: content.max_concurrency ?? undefined, budget, audit },
      record.slice(1),
    );
    return (json === undefined ? { outcome } : { outcome, json }) as Put;
  }

  async delete(
    agent: string,
    { at, etags, audit }: { at: number; etags: string[]; audit: string | undefined },
  ): Promise<'deleted' | 'missing' | 'stale'> {
    const [outcome] = await this.#delete({ agent, at, etags, audit });
    return outcome as 'deleted' | 'missing' | 'stale';
  }

  /** Undefined when there is no such version. */
  async read(agent: string, version: number): Promise<StoredDefinition | undefined> {
    const name = `${agent} ${version}`;
    const known = this.#versions.get(name);
    if (known) return known;
    const json = await this.#redis.hget(this.#keys.definitions(agent), `${version}`);
    if (json === null) return undefined;
    const stored = { json, definition: parseRecord(json) as Definition };
    this.#versions.set(name, stored);
    return stored;
  }

  /** The version that a task names, null for none. */
  async readOf({ agent_id, agent_version }: { agent_id: string; agent_version?: number | null | undefined }) {
    return agent_version ? ((await this.read(agent_id, agent_version))?.definition ?? null) : null;
  }

  /** The number of the current version, 0 for none; undefined when there is no such agent. */
  async readCurrent(agent: string): Promise<number | undefined> {
    if (!isId(agent)) return undefined;
    const [type, version] = await this.#redis.hmget(this.#keys.agent(agent), 'type', 'version');
    return type === null ? undefined : Number(version ?? 0);
  }

  /** The records of versions, undefined for one that is no longer kept. */
  async readRecords(agent: string, versions: readonly string[]): Promise<(string | undefined)[]> {
    const records = await this.#redis.hmget(this.#keys.definitions(agent), ...versions);
    return records.map((record) => record ?? undefined);
  }

  /** The number of the last version, 0 before the first. */
  async readLast(agent: string): Promise<number> {
    return Number((await this.#redis.hget(this.#keys.definitions(agent), 'last')) ?? 0);
  }

  /**
   * Does something with the current version, null for none. A script compares the version, so that it need not be read
   * each time; `act` is called again if it was another. With `fixed`, with this version, 0 for none.
   */
  async withCurrent<Result extends { outcome: string }>(
    agent: string,
    act: (definition: Definition | null) => Promise<Result | typeof REDEFINED>,
    fixed?: number,
  ): Promise<Result> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const version = fixed ?? this.#current.get(agent) ?? (await this.readCurrent(agent)) ?? 0;
      if (fixed === undefined) this.#current.set(agent, version);
      const stored = version === 0 ? null : await this.read(agent, version);
      const result = stored === undefined ? REDEFINED : await act(stored?.definition ?? null);
      if (result.outcome !== 'redefined') return result as Result;
      this.#current.delete(agent);
    }
    throw new Error(`The agent ${agent} has too many concurrent definitions`);
  }
}
