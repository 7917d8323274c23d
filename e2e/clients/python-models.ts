import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PYTHON_CLIENT, preparePython } from '../harness/python.ts';

const GENERATOR = join(PYTHON_CLIENT, 'scripts/generate_models.py');

/** The committed models of the Python client. */
export const PYTHON_MODELS = join(PYTHON_CLIENT, 'src/agent_fleet/models.py');

/** Generates the models of the Python client from the text of a document. Warnings of the generator are an error. */
export async function toPythonModels(document: string): Promise<string> {
  const python = await preparePython('checks');
  if ('missing' in python) throw new Error(python.missing);
  const generator = spawn(python.path, [GENERATOR], { stdio: ['pipe', 'pipe', 'pipe'] });
  generator.stdin.end(document);
  const [models, warnings, [code]] = await Promise.all([
    text(generator.stdout),
    text(generator.stderr),
    once(generator, 'close'),
  ]);
  if (code !== 0 || warnings !== '') throw new Error(`datamodel-codegen exited with code ${code}: ${warnings}`);
  return models;
}
