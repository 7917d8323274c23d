import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { findOnPath } from './find-on-path.ts';

/** Linux reads no more of a first line. */
const MAX_BYTES = 256;
/** Options and variables of `env` before the name of a program. */
const ENV_WORDS = /^(?:(?:-S|--split-string=?|-\S+|\w+=\S*)[ \t]*)+/;

/** Why a script cannot run: its first line names a program that is not there. Undefined for all else. */
export function whyNotRunnable(script: string, path: string): string | undefined {
  const [, interpreter = '', rest = ''] =
    /^#![ \t]*([^ \t\n]+)[ \t]*([^\n]*?)[ \t]*(?:\n|$)/.exec(headOf(script)) ?? [];
  const isEnv = basename(interpreter) === 'env';
  const options = ENV_WORDS.exec(rest)?.[0] ?? '';
  const after = rest.slice(options.length);
  // Without -S, Linux takes all that follows for a name.
  const named = /^-S|split/.test(options) ? after.split(/[ \t]/, 1)[0] : after;
  const name = isEnv ? named : interpreter;
  if (!name || findOnPath(name, isEnv ? path : '') !== undefined) return undefined;
  const hint = name.endsWith('\r')
    ? ': the script has ends of line of Windows (CR LF), save it with those of Unix'
    : '';
  return `its first line names no program: ${name.replace('\r', '\\r')}${hint}`;
}

function headOf(script: string): string {
  try {
    return readFileSync(script).toString('utf8', 0, MAX_BYTES);
  } catch {
    return '';
  }
}
