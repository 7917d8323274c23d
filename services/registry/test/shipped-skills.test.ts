import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { openRegistry } from './support/open-registry.ts';

const FOLDER = fileURLToPath(new URL('../skills', import.meta.url));
const NAMES = globSync('*/SKILL.md', { cwd: FOLDER }).map((path) => path.split('/')[0] as string);
const fileOf = (name: string) => readFileSync(join(FOLDER, name, 'SKILL.md'));

test('the forty skills that ship are listed without a warning, in declared categories, with the digests of their files', async () => {
  const { http, status } = await openRegistry({});
  expect(await status()).toMatchObject({
    source: 'shipped',
    stale: false,
    last_error: null,
    rejected: [],
    warnings: [],
  });
  const { body: skills } = await http.get('/api/skills').expect(200);
  expect(skills.map(({ id }: { id: string }) => id).sort()).toEqual(NAMES.sort());
  expect(skills).toHaveLength(40);
  const { body: known } = await http.get('/api/categories').expect(200);
  for (const skill of skills) {
    expect(skill).toMatchObject({
      name: skill.id,
      kind: 'skill',
      digest: `sha256:${hash('sha256', fileOf(skill.id))}`,
      digest_of: 'skill_md',
      author: 'Agent Fleet',
      license: 'MIT',
      source: { repo: null, path: null, ref: null, url: null },
      valid: true,
      extra: {},
    });
    expect(known.categories).toContainEqual(
      expect.objectContaining({ id: skill.category, description: expect.any(String) }),
    );
  }
});

test('the files of the skills that ship are served from the snapshot, with their indexes', async () => {
  const { http } = await openRegistry({});
  for (const name of NAMES) {
    const { headers, text } = await http.get(`/api/skills/${name}/skill.md`).expect(200);
    expect(text).toBe(fileOf(name).toString());
    expect(headers['x-digest-mismatch']).toBeUndefined();
  }
  const own = await http.get('/api/skills/clean-a-csv-file/.well-known/agent-skills/index.json').expect(200);
  const digest = `sha256:${hash('sha256', fileOf('clean-a-csv-file'))}`;
  expect(own.body.skills).toEqual([
    expect.objectContaining({ name: 'clean-a-csv-file', url: '../../skill.md', digest }),
  ]);
  const { body: index } = await http.get('/.well-known/agent-skills/index.json').expect(200);
  expect(index.skills).toHaveLength(40);
  const url = '../../api/skills/clean-a-csv-file/skill.md';
  expect(index.skills).toContainEqual(expect.objectContaining({ name: 'clean-a-csv-file', url, digest }));
});
