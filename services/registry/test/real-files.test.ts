import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { buildSnapshot } from '../src/build/build.ts';
import { SKILL, SKILL_KINDS } from '../src/skills/skill.ts';
import { skillsOf, sourceOf } from './build/packed-files.ts';
import { openRegistry } from './support/open-registry.ts';

const FOLDER = process.env.REGISTRY_DATA_DIR ?? resolve(import.meta.dirname, '../../../../shared/data');

/**
 * A file, its numbers of skills and categories, the expected warnings, and the digest of all that is read of it, in
 * `GET /api/skills` with all kinds. A change of the digest is a change of what clients see: compare the lists.
 */
const FILES = [
  ['majiayu000-registry-2025-12-24.json', 2_928, 10, { id_missing: 2_928, tags_missing: 3 }, '70044e4cc22c5ce1'],
  ['majiayu000-registry-2025-12-24-small.json', 165, 8, { id_missing: 165 }, '9823604edf9333d3'],
  [
    'skillkit-marketplace-2026-02-02.json',
    15_065,
    0,
    { tags_missing: 6_980, category_missing: 15_065 },
    '8f7b9b7ff72204ea',
  ],
  ['antigravity-catalog-2026-01-28.json', 552, 9, { tags_missing: 6 }, 'aa6e1414dee5239d'],
  ['antigravity-skills_index-2026-01-28.json', 559, 3, { tags_missing: 559 }, '4c469bef03f62955'],
  ['skillcreatorai-skills-2026-01.json', 40, 5, { id_missing: 40, tags_missing: 39 }, '1fccfd9ecfd09bed'],
  ['zongwu233-skills-registry-2026-01-13.json', 20, 7, {}, '9923acf87f98d5ca'],
  ['techleads-skills-registry-2026-07-20.json', 84, 15, { tags_missing: 84 }, '1c9539954975d2f4'],
  ['asm-anthropics_skills.json', 18, 0, { id_missing: 18, category_missing: 18, tags_missing: 18 }, 'e927000a965f2dc1'],
  [
    'anthropics-claude-plugins-official-marketplace.json',
    286,
    13,
    { id_missing: 286, category_missing: 14 },
    '93a5d70c76fbd6ea',
  ],
  ['wshobson-agents-marketplace.json', 92, 26, { id_missing: 92, tags_missing: 87 }, 'c2365acd5c904cce'],
  ['lambdatest-agent-skills-index.json', 46, 7, { id_missing: 46, tags_missing: 46 }, 'c7cebcb31a807358'],
] as const;

/** Marketplaces whose plugins lie beside them, at their addresses, and the digest of what is read of them. */
const MARKETPLACES = [
  [
    'anthropics-claude-plugins-official-marketplace.json',
    'anthropics/claude-plugins-official/340e33a',
    'e9ed7226db7ab181',
  ],
  ['wshobson-agents-marketplace.json', 'wshobson/agents/367cb6a', 'd0cf2a254c7d79d8'],
] as const;

const SERVED_SKILLS = z.array(z.strictObject(SKILL.shape));

const isHere = existsSync(FOLDER);
if (!isHere) console.warn(`No real registry files at ${FOLDER}: they are not tested (set REGISTRY_DATA_DIR)`);

if (isHere) test.each(FILES)('the real file %s is served completely', expectWhole);

if (isHere)
  test.each(MARKETPLACES)('the plugins of %s lie in the repository %s', (name, repository, digest) => {
    const address = `https://raw.githubusercontent.com/${repository}/.claude-plugin/marketplace.json`;
    const content = readFileSync(resolve(FOLDER, name), 'utf8');
    const built = buildSnapshot({ sources: [sourceOf(address, content)] });
    expect(digestOf(JSON.stringify(skillsOf(built)))).toBe(digest);
  });

test('the folder of real files is complete or absent', () => {
  expect(FILES.filter(([name]) => existsSync(resolve(FOLDER, name)) !== isHere)).toEqual([]);
});

const digestOf = (list: string) => hash('sha256', list).slice(0, 16);

async function expectWhole(
  name: string,
  count: number,
  categories: number,
  warnings: object,
  digest: string,
): Promise<void> {
  const path = resolve(FOLDER, name);
  const { http, status } = await openRegistry({ source: pathToFileURL(path).href });
  const { source, stale, last_error, snapshot_id, ...found } = await status();
  expect([source, stale, last_error]).toEqual([`file:${name}`, false, null]);
  expect(snapshot_id).toBe(hash('sha256', readFileSync(path)));
  expect(found).toMatchObject({ rejected: [], counts: { skills: count, categories, rejected: 0 } });
  const byCode = Object.fromEntries(found.warnings.map((warning) => [warning.code, warning.count]));
  expect(byCode).toMatchObject(warnings);

  const { body, headers } = await http.get('/api/skills').expect(200);
  const skills = SERVED_SKILLS.parse(body);
  expect(skills).toHaveLength(count);
  expect(headers['x-total-count']).toBe(String(count));
  expect(new Set(skills.map(({ id }) => id)).size).toBe(count);
  expect(skills.filter(({ id, name }) => !/^[\w.~-]*[\w~-][\w.~-]*$/.test(id) || name.trim() === '')).toEqual([]);
  for (let at = 0; at < count; at += Math.ceil(count / 100)) {
    expect((await http.get(`/api/skills/${body[at].id}`).expect(200)).body).toEqual(body[at]);
  }

  const { text } = await http.get(`/api/skills?kind=${SKILL_KINDS.join()}`).expect(200);
  expect(digestOf(text)).toBe(digest);

  expect((await http.get('/registry.json').expect(200)).text).toBe(readFileSync(path, 'utf8'));
  const listed = (await http.get('/api/categories').expect(200)).body;
  for (const { id, count } of listed.categories) {
    expect(skills.filter(({ category }) => category === id)).toHaveLength(count);
  }
}
