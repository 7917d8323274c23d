import { encodePart } from '../redis/keys.ts';
import type { Task } from './task.ts';
import { parseState, type TaskWithState } from './task-state.ts';

/** A task as read: its record and its state, with their texts. */
export interface StoredTask extends TaskWithState {
  json: string;
  stateText: string;
  /** Number of its last event in its agent's stream. */
  lastEvent: number;
}

/** Where the agent's id is in a record, whose first two fields are always `id` and `agent_id`. */
const AGENT_ID_AT = '{"id":"00000000-0000-0000-0000-000000000000","agent_id":"'.length;

export function toStoredTask(json: string, stateText: string): StoredTask {
  return { task: JSON.parse(json) as Task, json, stateText, ...parseState(stateText) };
}

/** The agent of a record, without parsing it. */
export function agentOf(json: string): string {
  return json.slice(AGENT_ID_AT, AGENT_ID_AT + 36);
}

/** Encodes distinct tags for the names of indexes. */
export function encodeTags(tags: string[] | null): string[] {
  return [...new Set(tags ?? [])].map(encodePart);
}
