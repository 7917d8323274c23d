import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dirname, join as joinPath } from 'node:path/posix';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { specifiersOf } from './import-star.ts';
import { readSourceFiles } from './source-files.ts';

const SERVICE = 'services/agents/';
/** Each folder or file of its `src` imports only from those in the rows before its own. */
const ORDER = [
  ['metrics'],
  ['config.ts', 'contract', 'redis', 'migrations'],
  ['events'],
  ['audit', 'idempotency'],
  ['agents'],
  ['tasks'],
  ['workers'],
  ['leases', 'timers', 'stats', 'bulk-actions'],
  ['background', 'logs'],
  ['routes.ts'],
  ['fleet.ts'],
  ['service.ts'],
  ['main.ts'],
];

/** The imports of a file of the service's `src` that do not follow the order. `path` is relative to the root. */
function backwardImports(path: string, source: string): string[] {
  const from = partOf(path);
  return specifiersOf(source)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => partOf(joinPath(dirname(path), specifier)))
    .filter((to) => to !== from && !(rankOf(to) < rankOf(from)))
    .map((to) => `${path} imports ${to}`);
}

/** The folder or file of `src` that a path is in. */
function partOf(path: string): string {
  return path.replace(`${SERVICE}src/`, '').split('/')[0] as string;
}

/** @throws for a folder or file without a place in the order */
function rankOf(part: string): number {
  const rank = ORDER.findIndex((parts) => parts.includes(part));
  if (rank < 0) throw new Error(`${part} has no place in the order of imports`);
  return rank;
}

test('imports between the folders of the agents service go one way', () => {
  const files = readSourceFiles().filter(({ path }) => path.startsWith(`${SERVICE}src/`));
  expect(files.length).toBeGreaterThan(20);
  expect(ORDER.flat()).toEqual(expect.arrayContaining(files.map(({ path }) => partOf(path))));
  expect(files.flatMap(({ path, text }) => backwardImports(path, text))).toEqual([]);
});

test.each([
  ['events/feed.ts', '../tasks/task.ts'],
  ['leases/leasing.ts', '../timers/timers.ts'],
  ['tasks/reading.ts', '../fleet.ts'],
])('finds that %s imports %s', (file, specifier) => {
  const path = `${SERVICE}src/${file}`;
  expect(backwardImports(path, `import { a } from '${specifier}';`)).toHaveLength(1);
  expect(backwardImports(path, `import { a } from './a.ts';\nimport { b } from '../contract/ids.ts';`)).toEqual([]);
});

test('the README of the agents service states the same order', () => {
  const readme = readFileSync(join(ROOT, `${SERVICE}README.md`), 'utf8').replaceAll(/\s+/g, ' ');
  expect(readme).toContain(ORDER.map((parts) => parts.map((part) => `\`${part}\``).join(', ')).join(' ← '));
});
