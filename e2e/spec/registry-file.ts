import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A realistic registry file: a byte that only the raw file keeps, duplicate names, unusual spellings, missing fields.
 */
export const REGISTRY_FILE = `{ "version": "7",   "categories": [{"id": "writing", "name": "Writing", "description": "Texts."}, {"id": "empty", "name": "Nobody's"}],
\t"skills": [
  {"id": "summarise", "name": "summarise", "description": "Sums up \\u0061 text.", "category": "writing", "tags": ["text", "short"], "author": "Ada", "stars": 12.0},
  {"id": "translate", "name": "Translate", "description": "Says it in another language.", "category": "Writing", "tags": ["text"], "author": "Grace", "stars": 40},
  {"id": "plan", "name": "plan", "description": "Splits work up.", "category": "planning", "tags": [], "author": "Ada"},
  {"id": "技能", "name": "技能", "description": "", "category": "planning", "tags": ["short", "技"], "author": "ada", "stars": 3, "future_field": {"kept": [1, null]}},
  {"name": "no category", "description": "A text, short.", "author": "Edsger"}
  ]
}\r\n`;

export interface RegistrySource {
  /** Variables of a registry that has the file. */
  env: NodeJS.ProcessEnv;
  close(): void;
}

export function writeRegistryFile(text = REGISTRY_FILE): RegistrySource {
  const dir = mkdtempSync(join(tmpdir(), 'fleet-e2e-registry-'));
  const file = join(dir, 'registry.json');
  writeFileSync(file, text);
  const env = { REGISTRY_SOURCE_URL: pathToFileURL(file).href };
  return { env, close: () => rmSync(dir, { recursive: true, force: true }) };
}
