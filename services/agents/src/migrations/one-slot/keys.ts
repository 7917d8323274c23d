import type { RedisClient } from '@agent-fleet/shared/redis/connection';
import type { Write } from '../lock.ts';

/** What the parts of this migration share. */
export interface Context {
  redis: RedisClient;
  old: ReturnType<typeof oldKeys>;
  keys: ReturnType<typeof newKeys>;
  write: Write;
}

/** The keys of version 1.0 that the migration reads. Keys of an agent have the tag `{<agent id>}`. */
export function oldKeys(prefix: string) {
  const of = (agentId: string, name: string) => `${prefix}:{${agentId}}:${name}`;
  return {
    agent: (id: string) => of(id, 'agent'),
    seq: (id: string) => of(id, 'seq'),
    events: (id: string) => of(id, 'events'),
    tasks: (id: string) => of(id, 'tasks'),
    task: (id: string, task: string) => of(id, `task:${task}`),
    state: (id: string, task: string) => of(id, `state:${task}`),
    attempts: (id: string, task: string) => of(id, `attempts:${task}`),
    job: (id: string, task: string) => of(id, `queue:${task}`),
    readyJobs: (id: string) => of(id, 'queue:prioritized'),
    reply: (digest: string) => of(digest, 'idempotency'),
    fleet: (name: string) => of('fleet', name),
  };
}

/** The keys of layout 1. They stay as they are when a later layout renames keys. */
export function newKeys(prefix: string) {
  const base = `${prefix}:{default}:`;
  /** The indexes of a record: each scope, with and without the status. */
  const indexes = (name: string, scopes: readonly string[], status: string) =>
    scopes.flatMap((scope) => [`${base}${name}${scope}`, `${base}${name}${scope}:status:${status}`]);
  return {
    of: (...names: string[]) => base + names.join(':'),

    /** Hash: agent id → number of its last event that was added to the fleet's; exists while the migration runs. */
    progress: `${base}migration`,

    agentIndexes: (type: string, status: string) => indexes('agents', ['', `:type:${type}`], status),

    taskIndexes(agentId: string, type: string, tags: readonly string[], status: string) {
      const scopes = ['', `:type:${type}`, `:agent:${agentId}`];
      const tagged = tags.flatMap((tag) => scopes.map((scope) => `${scope}:tag:${encode(tag)}`));
      return indexes('tasks', [...scopes, ...tagged], status);
    },
  };
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
