import { readFileSync } from 'node:fs';
import { FLEET_VARIABLES } from '@agent-fleet/cli/src/settings/variables.ts';
import { readSourceFiles } from '@agent-fleet/scripts/checks/source-files';
import { expect, test } from '@jest/globals';
import { PAGE, PROGRAMS, withTables } from './configuration-page.ts';

const page = readFileSync(PAGE, 'utf8');

test('docs/configuration.md has what the programs declare: npm run write-configuration -w e2e', () => {
  expect(page).toBe(withTables(page));
  for (const { shape } of Object.values(PROGRAMS)) for (const name in shape) expect(page).toContain(`| \`${name}\``);
});

test('the page has a changed default, and a secret with its file', () => {
  const changed = withTables(page.replace('| `info` |', '| `none` |').replace(', `API_KEYS_FILE`', ''));
  expect(changed).toBe(page);
});

/** `env.NAME`, and what is taken apart from `env`. */
const READ = /\benv\.([A-Z][A-Z_]+)|\{ ([A-Z_, ]+) \} = env\b/g;
const NOT_SETTINGS = ['HOME', 'PATH', 'FLEET_TASK_ID'];

test('the page has each variable that the command line reads', () => {
  const files = readSourceFiles().filter(({ path }) => path.startsWith('clients/cli/src/'));
  const read = files.flatMap(({ text }) =>
    [...text.matchAll(READ)].flatMap(([, one = '', many = '']) => [...many.split(', '), one]).filter(Boolean),
  );
  expect(read).toContain('FLEET_API_KEY_FILE');
  const unknown = read.filter((name) => !(name in FLEET_VARIABLES) && !NOT_SETTINGS.includes(name));
  expect(unknown).toEqual([]);
});
