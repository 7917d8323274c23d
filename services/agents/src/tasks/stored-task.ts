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

/** Where the ids are in a record, whose first two fields are always `id` and `agent_id`. */
const ID_LENGTH = 36;
const ID_AT = '{"id":"'.length;
const AGENT_ID_AT = ID_AT + ID_LENGTH + '","agent_id":"'.length;

export function toStoredTask(json: string, stateText: string): StoredTask {
  return { task: JSON.parse(json) as Task, json, stateText, ...parseState(stateText) };
}

/** The ids of a record and its agent, without parsing it. */
export function idsOf(json: string): { agent_id: string; task_id: string } {
  const idAt = (at: number) => json.slice(at, at + ID_LENGTH);
  return { agent_id: idAt(AGENT_ID_AT), task_id: idAt(ID_AT) };
}

/** Encodes distinct tags for the names of indexes. */
export function encodeTags(tags: string[] | null): string[] {
  return [...new Set(tags ?? [])].map(encodePart);
}

/** Encodes the worker of a task for the name of its index. */
export function encodeWorker(workerId: string | null | undefined): string | undefined {
  return workerId == null ? undefined : encodePart(workerId);
}
