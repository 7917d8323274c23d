import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { SKILL } from '../src/skills/skill.ts';
import { type StartedRegistry, startRegistry } from './start-registry.ts';

const FOLDER = process.env.REGISTRY_DATA_DIR ?? resolve(import.meta.dirname, '../../../../shared/data');

/** File, skills, categories, and the warnings that its own README leads to expect. */
const FILES = [
  ['majiayu000-registry-2025-12-24.json', 2_928, 10, { id_missing: 2_928, tags_missing: 3 }],
  ['majiayu000-registry-2025-12-24-small.json', 165, 8, { id_missing: 165 }],
  ['skillkit-marketplace-2026-02-02.json', 15_065, 0, { tags_missing: 6_980, category_missing: 15_065 }],
  ['antigravity-catalog-2026-01-28.json', 552, 9, { tags_missing: 6 }],
  ['antigravity-skills_index-2026-01-28.json', 559, 3, { tags_missing: 559 }],
  ['skillcreatorai-skills-2026-01.json', 40, 5, { id_missing: 40, tags_missing: 39 }],
  ['zongwu233-skills-registry-2026-01-13.json', 20, 7, {}],
  ['techleads-skills-registry-2026-07-20.json', 84, 15, { tags_missing: 84 }],
] as const;

const SERVED_SKILLS = z.array(z.strictObject(SKILL.shape));

if (existsSync(FOLDER)) describe.each(FILES)('the real file %s', serveRealFile);
else {
  console.warn(`No real registry files at ${FOLDER}: their tests are left out (set REGISTRY_DATA_DIR)`);
  describe('real registry files', () => {
    test('are not on this machine', () => expect(existsSync(FOLDER)).toBe(false));
  });
}

function serveRealFile(name: string, count: number, categories: number, warnings: Record<string, number>) {
  const path = resolve(FOLDER, name);
  let registry: StartedRegistry;

  beforeAll(async () => {
    registry = await startRegistry({ source: pathToFileURL(path).href });
  });
  afterAll(() => registry.close());

  test(`is served with all of its ${count} skills, each in the documented shape under an id of its own`, async () => {
    const { body, headers } = await registry.http.get('/api/skills').expect(200);
    const skills = SERVED_SKILLS.parse(body);
    expect(skills).toHaveLength(count);
    expect(headers['x-total-count']).toBe(String(count));
    expect(new Set(skills.map(({ id }) => id)).size).toBe(count);
    expect(skills.filter(({ id }) => !/^[\w.~-]+$/.test(id) || /^\.+$/.test(id))).toEqual([]);
    expect(skills.filter(({ name }) => name.trim() === '')).toEqual([]);
  });

  test('has a status that tells what was mended', async () => {
    const status = await registry.status();
    expect(status).toMatchObject({ source: `file:${name}`, stale: false, last_error: null, rejected: [] });
    expect(status.counts).toMatchObject({ skills: count, categories, rejected: 0 });
    const byCode = Object.fromEntries(status.warnings.map(({ code, count }) => [code, count]));
    expect(byCode).toMatchObject(warnings);
    expect(status.snapshot_id).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
  });

  test('is served byte for byte, and its categories add up', async () => {
    const raw = await registry.http.get('/registry.json').expect(200);
    expect(raw.text).toBe(readFileSync(path, 'utf8'));
    const listed = (await registry.http.get('/api/categories').expect(200)).body;
    const { body } = await registry.http.get('/api/skills');
    for (const { id, count } of listed.categories) {
      expect(body.filter((skill: { category: string }) => skill.category === id)).toHaveLength(count);
    }
  });

  test('answers each of a hundred of its ids with that skill', async () => {
    const { body } = await registry.http.get('/api/skills');
    const step = Math.ceil(body.length / 100);
    for (let at = 0; at < body.length; at += step) {
      const one = await registry.http.get(`/api/skills/${body[at].id}`).expect(200);
      expect(one.body).toEqual(body[at]);
    }
  });
}
