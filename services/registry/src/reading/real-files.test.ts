import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { normaliseRecord } from '../skills/normalise.ts';
import { Report } from '../skills/report.ts';
import { readDocument } from './registry-document.ts';

const FOLDER = process.env.REGISTRY_DATA_DIR ?? resolve(import.meta.dirname, '../../../../../shared/data');

/** File, records, declared categories, and skills with a digest. */
const FILES = [
  ['majiayu000-registry-2025-12-24.json', 2_928, 0, 0],
  ['majiayu000-registry-2025-12-24-small.json', 165, 0, 0],
  ['skillkit-marketplace-2026-02-02.json', 15_065, 0, 0],
  ['antigravity-catalog-2026-01-28.json', 552, 0, 0],
  ['antigravity-skills_index-2026-01-28.json', 559, 0, 0],
  ['skillcreatorai-skills-2026-01.json', 40, 5, 0],
  ['zongwu233-skills-registry-2026-01-13.json', 20, 7, 0],
  ['techleads-skills-registry-2026-07-20.json', 84, 15, 84],
] as const;

if (existsSync(FOLDER)) describe.each(FILES)('the real file %s', readRealFile);
else {
  console.warn(`No real registry files at ${FOLDER}: their tests are left out (set REGISTRY_DATA_DIR)`);
  describe('real registry files', () => {
    test('are not on this machine', () => expect(existsSync(FOLDER)).toBe(false));
  });
}

function readRealFile(name: string, count: number, categories: number, digests: number) {
  const path = resolve(FOLDER, name);

  test('is read with all its records, as JSON.parse has them', () => {
    const bytes = readFileSync(path);
    const document = readDocument(bytes);
    const parsed = JSON.parse(bytes.toString());
    const list = Array.isArray(parsed) ? parsed : parsed.skills;
    const records = [...document.records()];
    expect(records.map(({ value }) => value)).toEqual(Array.isArray(list) ? list : Object.values(list));
    const report = new Report();
    const drafts = records.map((record) => normaliseRecord(record, report)).filter((draft) => draft !== undefined);
    expect(drafts).toHaveLength(count);
    expect(report.rejected).toEqual([]);
    expect(document.declared).toHaveLength(categories);
    expect(drafts.filter(({ skill }) => skill.digest !== null)).toHaveLength(digests);
    expect(drafts.filter(({ base, skill }) => base === '' || skill.name.trim() === '')).toEqual([]);
  });
}
