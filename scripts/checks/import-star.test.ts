import { expect, test } from '@jest/globals';
import { specifiersOf, starViolations } from './import-star.ts';
import { readSourceFiles } from './source-files.ts';

test('the imports of this repository form a star', () => {
  const files = readSourceFiles();
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap(({ path, text }) => starViolations(path, text))).toEqual([]);
});

test.each([
  ['gateway/src/a.ts', '@agent-fleet/agents/src/keys'],
  ['gateway/src/a.ts', '../../services/agents/src/keys.ts'],
  ['services/agents/src/a.ts', '@agent-fleet/registry'],
  ['services/agents/src/a.ts', '../../registry/src/main.ts'],
  ['services/agents/src/a.ts', '../../../shared/src/http/errors.ts'],
  ['shared/src/a.ts', '@agent-fleet/gateway'],
  ['shared/src/a.ts', '@agent-fleet/access/records'],
  ['access/src/a.ts', '@agent-fleet/identity/src/main.ts'],
  ['scripts/a.ts', '@agent-fleet/access/records'],
  ['shared/src/a.ts', '../../scripts/launcher/start.ts'],
  ['e2e/a.ts', '../gateway/src/main.ts'],
  ['gateway/src/a.ts', '@agent-fleet/scripts/local/ports'],
  ['scripts/a.ts', '@agent-fleet/gateway/src/main.ts'],
  ['clients/worker/src/a.ts', '@agent-fleet/shared/logger'],
  ['clients/sdk/src/a.ts', '@agent-fleet/worker'],
  ['clients/worker/src/a.ts', '../../sdk/src/index.ts'],
  ['clients/skills/src/a.ts', '@agent-fleet/worker'],
  ['clients/web/src/a.ts', '@agent-fleet/skills/registry'],
  ['gateway/src/a.ts', '@agent-fleet/sdk'],
  ['e2e/a.ts', '../package.json'],
])('%s must not import %s', (file, specifier) => {
  expect(starViolations(file, `import { a } from '${specifier}';`)).toEqual([`${file} imports ${specifier}`]);
});

test.each([
  ['gateway/src/a.ts', '@agent-fleet/shared/http/errors'],
  ['gateway/src/auth/a.ts', '../config.ts'],
  ['services/agents/src/a.ts', '@agent-fleet/access/audit'],
  ['access/src/a.ts', '@agent-fleet/shared/http/etag'],
  ['shared/src/a.ts', './errors.ts'],
  ['shared/src/a.ts', 'ioredis'],
  ['e2e/a.ts', '@agent-fleet/gateway/src/main.ts'],
  ['scripts/a.ts', '@agent-fleet/shared/logger'],
  ['clients/worker/test/a.ts', '@agent-fleet/scripts/local/ports'],
  ['clients/worker/src/a.ts', '@agent-fleet/sdk'],
  ['clients/worker/src/a.ts', '@agent-fleet/skills/registry'],
])('%s may import %s', (file, specifier) => {
  expect(starViolations(file, `import { a } from '${specifier}';`)).toEqual([]);
});

test('finds every form of import', () => {
  const source = `import a from 'a';
    import type { B } from "b";
    import 'c';
    export * from 'd';
    await import('e');
    require('f');
    import {
      g,
    } from 'g';`;
  expect(specifiersOf(source)).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
});
