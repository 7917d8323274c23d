import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type DraftSkill, normaliseRecord } from '../../src/normalise/normalise.ts';
import { readDocument } from '../../src/read/registry-document.ts';
import { Report } from '../../src/skills/report.ts';
import { compareTexts } from '../../src/skills/text.ts';

export const FOLDER = process.env.REGISTRY_DATA_DIR ?? resolve(import.meta.dirname, '../../../../../shared/data');

/** The files for which queries and sentences were written, by the short names that they use. */
export const FILES = {
  majiayu000: 'majiayu000-registry-2025-12-24.json',
  skillkit: 'skillkit-marketplace-2026-02-02.json',
  antigravity: 'antigravity-catalog-2026-01-28.json',
  'antigravity-index': 'antigravity-skills_index-2026-01-28.json',
  skillcreatorai: 'skillcreatorai-skills-2026-01.json',
  techleads: 'techleads-skills-registry-2026-07-20.json',
  lambdatest: 'lambdatest-agent-skills-index.json',
  wshobson: 'wshobson-agents-marketplace.json',
  'anthropics-official': 'anthropics-claude-plugins-official-marketplace.json',
  asm: 'asm-anthropics_skills.json',
  zongwu233: 'zongwu233-skills-registry-2026-01-13.json',
} as const;

export type FileName = keyof typeof FILES;

export const KINDS = ['name', 'part', 'typo', 'description', 'author'] as const;

export interface RelevanceQuery {
  kind: (typeof KINDS)[number];
  q: string;
  file: FileName;
  /** `keyOf` the wanted skill; other skills with the same name and repository count too. */
  wanted: string;
}

export const hasFiles = Object.values(FILES).every((file) => existsSync(resolve(FOLDER, file)));

/** The skills of a real file after parsing, by name. */
export function readSkills(file: FileName): DraftSkill[] {
  const report = new Report();
  const document = readDocument(readFileSync(resolve(FOLDER, FILES[file])));
  return [...document.entries()]
    .map((entry) => normaliseRecord(entry.read(), report)?.skill)
    .filter((skill) => skill !== undefined)
    .sort((a, b) => compareTexts(a.name, b.name));
}

export function keyOf({ name, source }: DraftSkill): string {
  return `${name} @ ${source.repo ?? '-'}`;
}
