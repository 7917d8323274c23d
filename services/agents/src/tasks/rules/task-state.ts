import type { Used } from '../../agent-work/used.ts';
import type { Creator } from '../../contract/callers.ts';
import { parseRecord } from '../../contract/fields.ts';
import { encodePart } from '../../contract/ids.ts';
import type { Task } from '../task.ts';
import type { Conversation } from './conversation.ts';

/** A worker's lease of a running task. */
export interface Lease {
  number: number;
  /** Fencing token: requests without it change nothing. */
  token: string;
  workerId: string;
  /** Times in ms. */
  startedAt: number;
  expiresAt: number;
  /** End of the attempt by `timeout_seconds`; heartbeats do not extend past it. */
  deadline: number;
  leaseSeconds: number;
  /** What the worker takes (`ACCEPTS` of the contract); absent if nothing. */
  accepts?: readonly string[];
  /** Since when `deadline` stands still, as the task waits for a person. */
  pausedAt?: number | undefined;
  /** Absent before the first heartbeat. */
  heartbeatAt?: number;
  /** Its worker was told that a budget is used up until then, in ms, null for ever; absent before. */
  overspentUntil?: number | null | undefined;
  /** What the attempt has used so far; absent before a report. */
  used?: Used;
}

/** The last report, so that a repeated one gets the same response. */
interface Report {
  lease: number;
  token: string;
  digest: string;
}

/** Only the worker of the task that this one continues may start it until then, in ms. */
export interface Reservation {
  workerId: string;
  until: number;
}

/** A task that another one comes after. */
export interface Dependency {
  id: string;
  /** Its key in the batch of both. */
  key?: string;
  /** How it has ended; absent while the other one waits for it. */
  status?: 'completed' | 'failed' | 'cancelled' | 'deleted';
}

/** From when the task is ready. */
export const RESERVATION_MS = 60_000;
/** The same of a suspended task whose session only that worker has. */
export const BOUND_RESERVATION_MS = 86_400_000;

/** Why a task is parked. */
export type ParkingReason = 'provider_quota' | 'budget';

/** The internal state of a task. Its stored text differs after every change; compare-and-set compares it. */
export interface TaskState {
  version: number;
  /** Number of leases so far, including released ones. */
  leases: number;
  lease: Lease | null;
  reported: Report | null;
  /** The reason of a requested cancellation. */
  cancelReason: string | null;
  /** The principal whose quota of pending tasks counts it; absent when it was created without a quota. */
  owner?: string;
  /** Who created it; absent when that is not known. */
  creator?: Creator;
  /** What it needs of its worker, but for what its conversation does (needs.ts); absent if nothing. */
  needs?: string[] | undefined;
  /** Absent when it continues no task, or one that no worker has run. */
  reservation?: Reservation | undefined;
  /** How often it was parked, and why and after which lease the last time; absent before. */
  parked?: { reason: ParkingReason; lease: number; times: number };
  /** What it comes after, in the order of the record; absent if nothing. */
  after?: Dependency[] | undefined;
  /** Since when it waits for others, in ms; absent if it does not. */
  waitsFrom?: number | undefined;
  /** Absent until somebody says something. */
  conversation?: Conversation | undefined;
}

/** A task and its internal state. */
export interface TaskWithState {
  task: Task;
  state: TaskState;
}

export const NEW_STATE: TaskState = { version: 0, leases: 0, lease: null, reported: null, cancelReason: null };

/**
 * Parses a stored state: the number of the task's last event, a blank, and the JSON of the state, which is `''` before
 * the first change.
 */
export function parseState(text: string): { lastEvent: number; state: TaskState } {
  const at = text.indexOf(' ');
  const json = text.slice(at + 1);
  return { lastEvent: Number(text.slice(0, at)), state: json === '' ? NEW_STATE : (JSON.parse(json) as TaskState) };
}

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
  return { task: parseRecord(json) as Task, json, stateText, ...parseState(stateText) };
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

/** Encodes the concurrency key of a task for the name of its lane. */
export function encodeKey({
  concurrency_key: key,
}: {
  concurrency_key?: string | null | undefined;
}): string | undefined {
  return key == null ? undefined : encodePart(key);
}

/** Encodes the worker of a task for the name of its index. */
export function encodeWorker(workerId: string | null | undefined): string | undefined {
  return workerId == null ? undefined : encodePart(workerId);
}

/** Returns the next state, with a new version. */
export function next(state: TaskState, changes: Partial<TaskState>): TaskState {
  return { ...state, ...changes, version: state.version + 1 };
}

export function toMs(time: string | null): number {
  return time === null ? 0 : Date.parse(time);
}

export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
