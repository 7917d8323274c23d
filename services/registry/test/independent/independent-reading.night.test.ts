import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { buildSnapshot } from '../../src/build/build.ts';
import { SKILL } from '../../src/skills/skill.ts';
import { skillsOf, sourceOf } from '../build/packed-files.ts';
import { openRegistry } from '../support/open-registry.ts';

const FOLDER = process.env.REGISTRY_DATA_DIR ?? resolve(import.meta.dirname, '../../../../../shared/data');
const READER = resolve(import.meta.dirname, 'read_registry.py');
const MAX_OUTPUT_BYTES = 256 * 1_048_576;
/** Of the records of a file, at most so many may be merged into others, and are not compared. */
const MAX_MERGED_SHARE = 0.02;

/** Files with folders of the repository in which they lie, and where that is. */
const MARKETPLACES = {
  'anthropics-claude-plugins-official-marketplace.json':
    'https://raw.githubusercontent.com/anthropics/claude-plugins-official/340e33a/.claude-plugin/marketplace.json',
  'wshobson-agents-marketplace.json':
    'https://raw.githubusercontent.com/wshobson/agents/367cb6a/.claude-plugin/marketplace.json',
};

/** The fields that the independent reader knows. */
const READ_SKILL = SKILL.pick({
  name: true,
  display_name: true,
  description: true,
  kind: true,
  category: true,
  categories: true,
  tags: true,
  author: true,
  source: true,
  license: true,
  version: true,
  stars: true,
  downloads: true,
  featured: true,
  updated_at: true,
  digest: true,
  digest_of: true,
});

type ReadSkill = z.output<typeof READ_SKILL>;

const files = existsSync(FOLDER) ? readdirSync(FOLDER).filter((file) => file.endsWith('.json')) : [];
const hasPython = spawnSync('python3', ['--version']).status === 0;

test('the folder of real files is complete or absent', () => {
  expect(files.length >= 12 || !existsSync(FOLDER)).toBe(true);
});

if (files.length > 0 && hasPython) {
  test.each(files)(
    '%s is served as an independent reading expects, field by field',
    (file) => expectSameReading(file, readServed),
    120_000,
  );

  test.each(Object.entries(MARKETPLACES))('%s at %s is read in the same way', (file, address) =>
    expectSameReading(file, (path) => readBuilt(path, address), address),
  );
} else {
  const missing = hasPython ? `real registry files at ${FOLDER} (set REGISTRY_DATA_DIR)` : 'python3';
  console.warn(`No ${missing}: real files are not compared with an independent reading`);
}

async function expectSameReading(
  file: string,
  read: (path: string) => Promise<ReadSkill[]>,
  address?: string,
): Promise<void> {
  const path = resolve(FOLDER, file);
  const expected = Map.groupBy(await readIndependently(path, address), toKey);
  const served = Map.groupBy(await read(path), toKey);
  expect([...served.keys()].filter((key) => !expected.has(key))).toEqual([]);

  let records = 0;
  let merged = 0;
  const differences: string[] = [];
  for (const [key, wanted] of expected) {
    const found = served.get(key) ?? [];
    records += wanted.length;
    if (found.length === wanted.length) differences.push(...compare(key, wanted, found));
    else if (found.length === 0) differences.push(`${key}: not served`);
    else merged += wanted.length;
  }
  console.log(`${file}: ${records} records compared, of which ${merged} were left out as merged`);
  expect(differences).toEqual([]);
  expect(merged).toBeLessThanOrEqual(records * MAX_MERGED_SHARE);
}

/** Pairs the records of one name and place by their descriptions, else by their order. */
function compare(key: string, wanted: ReadSkill[], found: ReadSkill[]): string[] {
  const left = [...found];
  return wanted.flatMap((skill) => {
    const same = left.findIndex(({ description }) => description === skill.description);
    const [other] = left.splice(Math.max(same, 0), 1);
    return (Object.keys(READ_SKILL.shape) as (keyof ReadSkill)[])
      .map((field) => [field, JSON.stringify(skill[field]), JSON.stringify(other?.[field])] as const)
      .filter(([, a, b]) => a !== b)
      .map(([field, a, b]) => `${key}: ${field} should be ${a}, is ${b}`);
  });
}

const toKey = ({ name, source }: ReadSkill) => `${name} @ ${source.repo ?? '-'} : ${source.path ?? '-'}`;

async function readIndependently(path: string, address?: string): Promise<ReadSkill[]> {
  const args = ['-B', READER, path, ...(address ? [address] : [])];
  const { stdout } = await promisify(execFile)('python3', args, { maxBuffer: MAX_OUTPUT_BYTES });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => READ_SKILL.strict().parse(JSON.parse(line)));
}

async function readServed(path: string): Promise<ReadSkill[]> {
  const { http } = await openRegistry({ source: pathToFileURL(path).href });
  const skills: ReadSkill[] = [];
  for (const kind of SKILL.shape.kind.options) {
    const { body } = await http.get(`/api/skills?kind=${kind}`).expect(200);
    skills.push(...z.array(READ_SKILL).parse(body));
  }
  return skills;
}

/** As if the file had been fetched from this address. */
async function readBuilt(path: string, address: string): Promise<ReadSkill[]> {
  return z
    .array(READ_SKILL)
    .parse(skillsOf(buildSnapshot({ sources: [sourceOf(address, readFileSync(path, 'utf8'))] })));
}
