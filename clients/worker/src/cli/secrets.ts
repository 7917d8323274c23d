import { readFileSync } from 'node:fs';
import { messageOf } from '../errors.ts';
import { UsageError } from './program.ts';

/** What definitions name as a secret: a file, read each time, or else FLEET_SECRET_<NAME>. @throws UsageError */
export function secretsFrom(given: readonly string[], env: NodeJS.ProcessEnv) {
  const files = new Map<string, string>();
  for (const text of given) {
    const [, name = '', path = ''] = /^([A-Za-z_]\w*)=(.+)$/s.exec(text) ?? [];
    if (path === '') throw new UsageError('--secret-file takes <name>=<path>');
    files.set(name, path);
  }
  const secretOf = (name: string): string | undefined => {
    const file = files.get(name);
    return (file === undefined ? env[`FLEET_SECRET_${name}`] : readFileSync(file, 'utf8').trimEnd()) || undefined;
  };
  try {
    for (const name of files.keys()) secretOf(name);
  } catch (error) {
    throw new UsageError(`--secret-file: ${messageOf(error)}`);
  }
  return secretOf;
}
