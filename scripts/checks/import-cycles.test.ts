import { expect, test } from '@jest/globals';
import { findImportCycle } from './import-cycles.ts';
import { readSourceFiles } from './source-files.ts';

test('no file imports itself by way of others', () => {
  const files = readSourceFiles();
  expect(files.length).toBeGreaterThan(20);
  expect(findImportCycle(files)).toBeUndefined();
});

test('finds a cycle of imports that exist at run time', () => {
  const files = [
    { path: 'a/one.ts', text: `import { two } from './two.ts';` },
    { path: 'a/two.ts', text: `import '../b/three.ts';` },
    { path: 'b/three.ts', text: `import { two } from '../a/two.ts';` },
  ];
  expect(findImportCycle(files)).toBe('a/two.ts → b/three.ts → a/two.ts');
  expect(findImportCycle(files.slice(0, 2))).toBeUndefined();
  const ofTypes = { path: 'b/three.ts', text: `import type { Two } from '../a/two.ts';` };
  expect(findImportCycle([...files.slice(0, 2), ofTypes])).toBeUndefined();
});
