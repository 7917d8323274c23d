import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../services.ts';
import { longLines } from './line-width.ts';
import { findFiles } from './source-files.ts';

/** Written by `npm run bench` and `npm run generate`. */
const GENERATED = ['bench/RESULTS.md', 'clients/sdk/src/generated/api.ts'];

test('comments and prose have at most 120 columns, and each fenced block is closed', () => {
  const files = findFiles('**/{*.{ts,tsx,mjs,md,sh,lua,yml},Dockerfile}').filter((file) => !GENERATED.includes(file));
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap((file) => longLines(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

test('finds long comments and prose, but no long code, table or fenced block', () => {
  const long = 'word '.repeat(30);
  expect(longLines('a.ts', `// ${long}\nconst text = '${long}';\n  /** ${long} */\n`)).toEqual(['a.ts:1', 'a.ts:3']);
  expect(longLines('a.md', `${long}\n| ${long} |\n\`\`\`sh\n${long}\n\`\`\`\n- ${long}\n`)).toEqual([
    'a.md:1',
    'a.md:6',
  ]);
});

test('finds a fence that is never closed, also when text stands before its end', () => {
  expect(longLines('a.md', 'text\n```sh\nls\n```\ntext\n')).toEqual([]);
  expect(longLines('a.md', 'text\n```sh\nls ```\ntext\n')).toEqual(['a.md:2']);
  expect(longLines('a.md', 'text\n```sh\nls\n```\ntext ```\n```\n')).toEqual(['a.md:6']);
});
