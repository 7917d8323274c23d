import { z } from 'zod';
import type { Skill } from '../skills/skill.ts';
import type { SkillTable } from '../skills/skill-table.ts';
import { TimeSlice } from '../time-slice.ts';
import type { SkillDifference } from './skill-difference.ts';

const DAY_MS = 86_400_000;
/** Today and the seven days before, in UTC. */
const DAYS = 8;
const MAX_SKILLS_PER_DAY = 2_000;
/** A larger step is an import rather than a trend. */
const MAX_ROWS = 20_000;
/** The gain of a new skill, and of one that another source lists as well. A new star is a gain of one. */
const NEW_SKILL = 10;
const NEW_SOURCE = 5;

const TREND = z.object({
  /** Days since 1970, UTC. */
  day: z.int(),
  /** Ids of skills and what they gained on that day. */
  gains: z.array(z.tuple([z.string(), z.int().min(1)])),
});

export const TRENDS = z.array(TREND);

/** What skills have gained on each of the last days, latest first. */
export type Trends = z.output<typeof TRENDS>;

type Counts = Pick<Skill, 'stars' | 'registries'>;

/** Adds the gains of a step between two snapshots to those of its day. `at` is its time in milliseconds. */
export async function advanceTrends(
  trends: Trends,
  at: number,
  { added, changed }: SkillDifference,
  before: SkillTable,
  now: SkillTable,
): Promise<Trends> {
  const day = Math.floor(at / DAY_MS);
  const earlier = withinDays(trends, day).filter((trend) => trend.day !== day);
  const today = new Map(trends.find((trend) => trend.day === day)?.gains);
  if (added.length + changed.length <= MAX_ROWS) {
    const slice = new TimeSlice();
    for (const row of added) add(today, now.idAt(row), NEW_SKILL);
    for (const row of changed) {
      const id = now.idAt(row);
      const last = before.rowOf(id);
      if (last !== undefined) add(today, id, gainOf(before.skillAt(last), now.skillAt(row)));
      if (slice.isOver()) await slice.next();
    }
  }
  const gains = [...today].sort((a, b) => b[1] - a[1]).slice(0, MAX_SKILLS_PER_DAY);
  return gains.length === 0 ? earlier : [{ day, gains }, ...earlier];
}

/** The rows with gains, most first, for a snapshot of this time. `ranks` orders rows with equal gains. */
export function trendingRows(
  trends: Trends,
  at: number,
  skills: Pick<SkillTable, 'rowOf'>,
  ranks: Uint32Array,
): Uint32Array {
  const scores = new Map<number, number>();
  for (const { gains } of withinDays(trends, Math.floor(at / DAY_MS))) {
    for (const [id, gain] of gains) {
      const row = skills.rowOf(id);
      if (row !== undefined) scores.set(row, (scores.get(row) ?? 0) + gain);
    }
  }
  const sorted = [...scores].sort(([a, gainA], [b, gainB]) => {
    return gainB - gainA || ranks[a]! - ranks[b]!;
  });
  return Uint32Array.from(sorted, ([row]) => row);
}

function withinDays(trends: Trends, day: number): Trends {
  return trends.filter((trend) => trend.day > day - DAYS && trend.day <= day);
}

function gainOf(before: Counts, now: Counts): number {
  const stars = before.stars === null || now.stars === null ? 0 : Math.max(0, now.stars - before.stars);
  const sources = now.registries.filter((label) => !before.registries.includes(label)).length;
  return stars + sources * NEW_SOURCE;
}

function add(gains: Map<string, number>, id: string, gain: number): void {
  if (gain > 0) gains.set(id, Math.min((gains.get(id) ?? 0) + gain, Number.MAX_SAFE_INTEGER));
}
