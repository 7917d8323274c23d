import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sizeOf } from '@agent-fleet/skills/folder-size';
import { killMarked } from '../../processes/marked-processes.ts';
import { sweepCache } from '../../workspace/repository-cache.ts';
import {
  listAttempts,
  type Marker,
  readMarker,
  removeEmptyTasks,
  removeFolder,
  removeTemporary,
} from './attempt-folders.ts';
import { REPOSITORY_CACHE } from './base-folder.ts';

/** Which folders of ended attempts stay: `failed` keeps those, and the sessions of others, for a while. */
export type KeepRule = 'failed' | 'none' | 'all';

const HOUR_MS = 3_600_000;
/** Of failed attempts, and of all with the rule `all`. */
const MAX_AGE_MS = 7 * 24 * HOUR_MS;
/** Of a session that a task may continue. */
const SESSION_AGE_MS = 24 * HOUR_MS;
/** Of all folders that are kept together, whatever the rule; the newest stay. */
const MAX_ATTEMPTS = 100;
const MAX_BYTES = 10 * 1024 ** 3;

interface SweepOptions {
  base: string;
  rule: KeepRule;
  /** Roots of attempts that run, are continued, or are being deleted. */
  busy: Set<string>;
}

/**
 * Deletes the folders of attempts that the rule does not keep, those that are too old, and the oldest beyond 100
 * attempts or 10 GiB. Attempts without an end are those of a worker that was killed: what is left of their processes
 * is killed first. Copies of repositories stay for as long, and as large. Goes on after an error, and rejects with the
 * first one.
 */
export function createSweep({ base, rule, busy }: SweepOptions): () => Promise<void> {
  /** Measured once: an ended attempt changes only when it is continued, which changes its end. */
  const sizes = new Map<string, number>();

  async function measure(root: string, marker: Marker): Promise<number> {
    const key = `${root} ${endOf(marker)}`;
    const bytes = sizes.get(key) ?? (await sizeOf(root));
    sizes.set(key, bytes);
    return bytes;
  }

  async function remove(root: string): Promise<void> {
    if (busy.has(root)) return;
    busy.add(root);
    try {
      await removeAttempt(root);
    } finally {
      busy.delete(root);
    }
  }

  /** The marker of an attempt that is kept; any other is deleted. */
  async function keepOrRemove(root: string): Promise<Marker | undefined> {
    const marker = await readMarker(root);
    if (marker?.end === null && !busy.has(root)) {
      await killMarked(marker.mark);
      await removeTemporary(root, marker);
    }
    if (marker !== undefined && isKept(marker, rule)) return marker;
    await remove(root);
    return undefined;
  }

  return async () => {
    const kept: { root: string; marker: Marker }[] = [];
    const errors: unknown[] = [];
    for (const root of await listAttempts(base)) {
      if (busy.has(root)) continue;
      try {
        const marker = await keepOrRemove(root);
        if (marker !== undefined) kept.push({ root, marker });
      } catch (error) {
        errors.push(error);
      }
    }
    kept.sort((a, b) => endOf(b.marker) - endOf(a.marker));
    let bytes = 0;
    for (const [index, { root, marker }] of kept.entries()) {
      const size = await measure(root, marker);
      bytes += size;
      if (index < MAX_ATTEMPTS && bytes <= MAX_BYTES) continue;
      // One that is too large by itself takes the place of no other.
      bytes -= size;
      await remove(root).catch((error) => errors.push(error));
    }
    await removeEmptyTasks(base);
    await sweepCache(join(base, REPOSITORY_CACHE), { maxBytes: MAX_BYTES, maxAgeMs: MAX_AGE_MS });
    if (sizes.size > 10 * MAX_ATTEMPTS) sizes.clear();
    if (errors.length > 0) throw errors[0];
  };
}

/** Whether the rule keeps the folders of an ended attempt, by its end and age; any keeps what waits for a person. */
export function isKept(marker: Marker, rule: KeepRule): boolean {
  const age = Date.now() - endOf(marker);
  if (marker.end === 'suspended' || (marker.hasAsked && marker.end === null)) return age <= MAX_AGE_MS;
  if (rule === 'none' || age > MAX_AGE_MS) return false;
  if (rule === 'all' || marker.end === 'failed') return true;
  if (marker.session === null || age > SESSION_AGE_MS) return false;
  // A session that was to be continued is still there for the next attempt.
  return marker.end === 'completed' || marker.end === 'cancelled' || marker.tasks.length > 1;
}

/** Deletes the folder of an attempt, and that of its task with the last one. */
export async function removeAttempt(root: string): Promise<void> {
  await removeFolder(root);
  await rmdir(dirname(root)).catch(() => {});
}

const endOf = ({ endedAt, startedAt }: Marker) => endedAt ?? startedAt;
