import { compareSnapshots, identifySkills } from '../merge/skill-identities.ts';
import { toWellKnownIndex } from '../serve/well-known/entry.ts';
import { createSlots, SkillTable, type SkillTableData } from '../skills/skill-table.ts';
import { release, unpack } from '../source/unpack.ts';
import type { BuildInput } from './build-input.ts';
import type { BuiltSnapshot, EncodedBody } from './built-snapshot.ts';
import { collectAtOnce } from './collect-garbage.ts';
import { type CollectedSources, collectSources } from './collect-sources.ts';
import { encodeBody, exact, LARGE_BODY_BYTES, toBrotli } from './encode-body.ts';
import { SourceChoice } from './source-choice.ts';
import { writeList } from './write-list.ts';

/** The search index leaves 0.5 KB of garbage per skill. A collection (50 ms) frees it before the list is written. */
const MANY_SKILLS = 20_000;

/**
 * Builds a snapshot from the files of all sources. The same input gives the same bytes on every machine. Takes seconds
 * of CPU time for a hundred thousand skills: see `Builder`.
 * @throws NoUsableSource
 * @throws Error for damaged documents
 */
export function buildSnapshot({ sources, previous }: BuildInput): BuiltSnapshot {
  const choices = sources.map((source) => new SourceChoice(source));
  const collected = collectSources(choices);
  if (collected.records.length > MANY_SKILLS) collectAtOnce();
  const labels = sources.map(({ label }) => label);
  const written = writeList(collected.skills, collected.records, labels);
  const withDigest = rowsWithFileDigest(collected);
  const skills: SkillTableData = { ...written, slots: createSlots(written.list, written.offsets) };
  const identities = identifySkills(skills);
  const { search, counts, report } = collected;
  return {
    skills,
    search,
    identities,
    difference: previous && compareSnapshots(previous, identities),
    bodies: {
      list: encodeBody(listedOf(skills, counts.skills)),
      categories: encodeJson(collected.categories),
      wellKnown: encodeJson(toWellKnownIndex(new SkillTable(skills), withDigest)),
    },
    registryBr: choices.map(encodeRegistry),
    counts,
    report,
  };
}

/** The list of the first `listed` skills. */
function listedOf({ list, offsets }: SkillTableData, listed: number): Uint8Array {
  if (listed === offsets.length - 1) return list;
  const end = Math.max(2, offsets[listed] as number);
  const body = list.slice(0, end);
  body[end - 1] = 0x5d;
  return body;
}

function rowsWithFileDigest({ skills, records }: CollectedSources): number[] {
  const { hasFileDigest } = skills.columns;
  return [...records.keys()].filter((row) => hasFileDigest[records[row] as number] === 1);
}

function encodeJson(value: object): EncodedBody {
  return encodeBody(exact(Buffer.from(JSON.stringify(value))));
}

function encodeRegistry({ files }: SourceChoice): Uint8Array | undefined {
  const document = files?.documents[0];
  if (document === undefined || document.bytes > LARGE_BODY_BYTES) return undefined;
  const raw = unpack(document);
  const encoded = toBrotli(raw);
  release(raw);
  return encoded;
}
