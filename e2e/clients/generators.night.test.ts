import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommand } from '@agent-fleet/scripts/testing/command';
import { ownFolder } from '@agent-fleet/scripts/testing/own-folder';
import { expect, test } from '@jest/globals';
import { preparePython } from '../harness/python.ts';
import { readServedDocument } from './served-document.ts';

const TIMEOUT_MS = 600_000;
/** It knows no other type of XML. */
const CONFIG = 'content_type_overrides:\n  application/atom+xml: text/xml\npost_hooks: []\n';

const folder = ownFolder();

// The generators of our own clients are tested with them.
const python = await preparePython('checks');
if ('missing' in python) test.skip(`other generators of clients: ${python.missing}`, () => {});
else test('openapi-python-client takes the document without a warning', takesDocument, TIMEOUT_MS);

async function takesDocument(): Promise<void> {
  const [document, config] = [join(folder, 'openapi.json'), join(folder, 'config.yml')];
  writeFileSync(document, await readServedDocument());
  writeFileSync(config, CONFIG);
  const options = [
    '--path',
    document,
    '--config',
    config,
    '--output-path',
    join(folder, 'client'),
    '--fail-on-warning',
  ];
  const printed = await readCommand(
    (python as { path: string }).path,
    ['-m', 'openapi_python_client', 'generate', ...options],
    { timeoutMs: TIMEOUT_MS },
  );
  expect(printed).not.toMatch(/warning/i);
}
