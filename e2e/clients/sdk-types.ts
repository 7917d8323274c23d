import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from '@agent-fleet/scripts/services';

const GENERATOR = join(ROOT, 'clients/sdk/scripts/generate-types.ts');

/** The committed types of the SDK. */
export const SDK_TYPES = join(ROOT, 'clients/sdk/src/generated/api.ts');

/** Generates the types of the SDK from the text of a document. Warnings of the generator are an error. */
export async function toSdkTypes(document: string): Promise<string> {
  const generator = spawn(process.execPath, [GENERATOR], { stdio: ['pipe', 'pipe', 'pipe'] });
  generator.stdin.end(document);
  const [types, warnings, [code]] = await Promise.all([
    text(generator.stdout),
    text(generator.stderr),
    once(generator, 'close'),
  ]);
  if (code !== 0 || warnings !== '') throw new Error(`openapi-typescript exited with code ${code}: ${warnings}`);
  return types;
}
