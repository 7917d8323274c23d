import { createRandom, distinct, toSeed } from './random.ts';
import { createSkill } from './synthetic-skill.ts';

const RECORDS_PER_CHUNK = 200;
const FIRST_EDITION = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

/** Numbers of records that an edition changes, adds and removes, compared with the edition before. */
export interface Changes {
  changed: number;
  added: number;
  removed: number;
}

export interface SyntheticRegistry {
  seed: number;
  /** Number of records in the first edition. */
  count: number;
  /** From 1 on; each edition derives from the one before. */
  edition: number;
  changes: Changes;
}

/** `revision`: the edition that last changed the record, or 0. */
interface Entry {
  id: number;
  revision: number;
}

/** Yields the registry file in chunks of about 100 KB, about 525 bytes per record; equal settings give equal bytes. */
export function* registryText(registry: SyntheticRegistry): Generator<string> {
  const entries = entriesOf(registry);
  const updatedAt = new Date(FIRST_EDITION + registry.edition * HOUR_MS).toISOString();
  yield `{"version":"1.0.0","updated_at":"${updatedAt}","total_count":${entries.length},"skills":[\n`;
  for (let at = 0; at < entries.length; at += RECORDS_PER_CHUNK) {
    const records = entries
      .slice(at, at + RECORDS_PER_CHUNK)
      .map(({ id, revision }) => JSON.stringify(createSkill(registry.seed, id, revision)));
    yield `${at > 0 ? ',\n' : ''}${records.join(',\n')}`;
  }
  yield '\n]}\n';
}

function entriesOf({ seed, count, edition, changes }: SyntheticRegistry): Entry[] {
  let entries = Array.from({ length: count }, (_, id): Entry => ({ id, revision: 0 }));
  for (let next = 2; next <= edition; next++) {
    const { changed, added, removed } = changes;
    const random = createRandom(toSeed(seed, next));
    const touched = shuffle(distinct(random, changed + removed, entries.length), random);
    const gone = new Set(touched.slice(0, removed));
    for (const at of touched.slice(removed)) entries[at] = { id: entries[at]?.id ?? 0, revision: next };
    const firstId = count + (next - 2) * added;
    entries = entries.filter((_, at) => !gone.has(at));
    for (let id = firstId; id < firstId + added; id++) entries.push({ id, revision: 0 });
  }
  return entries;
}

function shuffle(numbers: number[], random: () => number): number[] {
  return numbers
    .map((number) => ({ number, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ number }) => number);
}
