import { readFileSync } from 'node:fs';
import { readSourceFiles } from '@agent-fleet/scripts/checks/source-files';
import { expect, test } from '@jest/globals';
import { PAGE, PROGRAMS, withTables } from './configuration-page.ts';

const page = readFileSync(PAGE, 'utf8');

test('docs/configuration.md has what the programs declare: npm run write-configuration -w e2e', () => {
  expect(page).toBe(withTables(page));
  for (const { shape } of Object.values(PROGRAMS)) for (const name in shape) expect(page).toContain(`| \`${name}\``);
});

test('the page has a changed default, and the mark of a secret', () => {
  const changed = withTables(page.replace('| `info` |', '| `none` |').replace('**secret**: ', ''));
  expect(changed).toBe(page);
});

/** `env.NAME`, and what is taken apart from `env`. */
const READ = /\benv\.([A-Z][A-Z_]+)|\{ ([A-Z_, ]+) \} = env\b/g;
const NOT_SETTINGS = ['HOME', 'PATH', 'FLEET_TASK_ID'];

test('the table of the clients has each variable that the command line reads', () => {
  const [, table = ''] = page.split('\n## Clients\n');
  const files = readSourceFiles().filter(({ path }) => path.startsWith('clients/cli/src/'));
  const read = files.flatMap(({ text }) =>
    [...text.matchAll(READ)].flatMap(([, one = '', many = '']) => [...many.split(', '), one]).filter(Boolean),
  );
  expect(read).toContain('FLEET_API_KEY_FILE');
  expect(read.filter((name) => !table.includes(`| \`${name}\``) && !NOT_SETTINGS.includes(name))).toEqual([]);
});
