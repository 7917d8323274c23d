import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { draftOf } from '../../test/support/draft-of.ts';
import { Report } from '../skills/report.ts';
import { SKILL } from '../skills/skill.ts';

const SCHEMA = JSON.parse(readFileSync(new URL('../../registry.schema.json', import.meta.url), 'utf8'));
const RECORD_SCHEMA = SCHEMA.$defs.skill;
/** Fields that the service adds. */
const OURS = new Set(['digest_of', 'valid', 'issues', 'registries', 'extra']);

const ajv = new Ajv2020({ allErrors: true });
formats.default(ajv);
const validate = ajv.compile(SCHEMA);

/** Each value as long as it may be. */
const FULL = {
  id: 'review-pull-request',
  name: 'n'.repeat(64),
  display_name: 'D'.repeat(200),
  description: 'd'.repeat(1_024),
  kind: 'mcp_server',
  category: 'code-quality',
  categories: ['code-quality', 'documents'],
  tags: ['t'.repeat(64)],
  author: 'A'.repeat(100),
  source: {
    repo: 'owner/name',
    path: 'p'.repeat(1_024),
    ref: 'r'.repeat(1_024),
    url: `https://e.com/${'u'.repeat(1_010)}`,
  },
  license: 'L'.repeat(200),
  version: `1.0.${'0'.repeat(60)}`,
  compatibility: 'c'.repeat(500),
  stars: 1,
  downloads: 2,
  featured: true,
  updated_at: '2026-01-02T03:04:05.000Z',
  digest: `sha256:${'0'.repeat(64)}`,
  install: 'i'.repeat(2_048),
};

function errorsOf(record: object): unknown {
  validate({ version: '1.0.0', updated_at: FULL.updated_at, categories: [], skills: [record] });
  return validate.errors;
}

test('the schema of a registry file has exactly the fields that a skill is read from', () => {
  const fields = Object.keys(SKILL.shape).filter((name) => !OURS.has(name));
  expect(Object.keys(RECORD_SCHEMA.properties).sort()).toEqual(fields.sort());
  const parts = Object.keys(SKILL.shape.source.shape);
  expect(Object.keys(RECORD_SCHEMA.properties.source.properties).sort()).toEqual(parts.sort());
});

test('a skill with the longest values that the schema allows is served unchanged', () => {
  expect(Object.keys(FULL).sort()).toEqual(Object.keys(RECORD_SCHEMA.properties).sort());
  expect(errorsOf(FULL)).toBeNull();
  const report = new Report();
  const { id, ...fields } = FULL;
  expect(draftOf(FULL, report)).toMatchObject({
    upstreamId: id,
    skill: { ...fields, valid: true, issues: [], extra: {} },
  });
  expect(report.warnings()).toEqual([]);
});

test.each([
  ['display_name', `${FULL.display_name}D`],
  ['compatibility', `${FULL.compatibility}c`],
  ['license', `${FULL.license}L`],
  ['version', `${FULL.version}0`],
  ['install', `${FULL.install}i`],
  ['digest', 'md5:00'],
  ['digest', '0'.repeat(64)],
  ['source', { ...FULL.source, path: `${FULL.source.path}p` }],
  ['source', { ...FULL.source, path: '../up' }],
  ['source', { ...FULL.source, path: 'a/../../b' }],
  ['source', { ...FULL.source, path: '/etc' }],
  ['source', { ...FULL.source, url: `${FULL.source.url}u` }],
])('the schema of a registry file refuses a %s of %j', (name, value) => {
  expect(errorsOf({ ...FULL, [name]: value })).not.toBeNull();
});

test('the schema of a registry file allows dots in the names of a path', () => {
  expect(errorsOf({ ...FULL, source: { ...FULL.source, path: 'a..b/.hidden/..c' } })).toBeNull();
});
