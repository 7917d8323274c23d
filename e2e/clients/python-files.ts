import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PYTHON_CLIENT, preparePython } from '../harness/python.ts';

/** The committed files of the Python client that are generated, and what writes them. */
export const PYTHON_FILES = [
  { file: join(PYTHON_CLIENT, 'src/agent_fleet/models.py'), generator: 'generate_models.py' },
  { file: join(PYTHON_CLIENT, 'src/agent_fleet/_operations.py'), generator: 'generate_operations.py' },
];

/** Generates a file of the Python client from the text of a document. Warnings of the generator are an error. */
export async function generatePython(generator: string, document: string): Promise<string> {
  const python = await preparePython('checks');
  if ('missing' in python) throw new Error(python.missing);
  const child = spawn(python.path, [join(PYTHON_CLIENT, 'scripts', generator)], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(document);
  const [source, warnings, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0 || warnings !== '') throw new Error(`${generator} exited with code ${code}: ${warnings}`);
  return source;
}
