import { readFileSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';

/** JSON from an argument, from a file as `@file`, or from stdin as `@-`. @throws CliError */
export async function readJson(context: Context, option: string, text: string): Promise<unknown> {
  const json = text.startsWith('@') ? await readSource(context, option, text.slice(1)) : text;
  try {
    return JSON.parse(json);
  } catch {
    throw usageError(`${option} is not JSON`, `Give JSON, or @file with JSON in it: ${option} '{"key":"value"}'`);
  }
}

/** The same for an object. @throws CliError */
export async function readObject(context: Context, option: string, text: string): Promise<Record<string, unknown>> {
  const value = await readJson(context, option, text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw usageError(`${option} must be an object`, `Such as ${option} '{"ticket":"OPS-12"}'`);
}

async function readSource(context: Context, option: string, file: string): Promise<string> {
  if (file === '-') return context.readStdin();
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw usageError(`${option}: ${(error as Error).message}`, 'Name a file that can be read.');
  }
}
