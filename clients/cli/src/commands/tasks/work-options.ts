import { readFileSync } from 'node:fs';
import type { components } from '@agent-fleet/sdk';
import { exactJson, isLosslessNumber } from '@agent-fleet/sdk/exact-json';
import { whereNotJson } from '@agent-fleet/sdk/text';
import { SkillError } from '@agent-fleet/skills/skill-error';
import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { collect } from '../../lookup.ts';
import { toText } from '../../text.ts';

type TaskInput = components['schemas']['TaskInput'];
type Skill = NonNullable<TaskInput['skills']>[number];

/** What a worker that runs an agent is told. */
export interface WorkOptions {
  skill?: string[];
  repository?: string;
  ref?: string;
  model?: string;
  schema?: string;
  maxCost?: string;
}

const PIN = /^(.+)@(sha256:[0-9a-f]{64})$/i;

export function withWork(command: Command): Command {
  return command
    .option('--skill <id>', 'a skill of the registry, pinned to its digest; <id>@sha256:… pins another', collect)
    .option('--repository <url>', 'the agent works in a clone of it')
    .option('--ref <ref>', 'branch, tag or commit of the repository')
    .option('--model <model>', 'default: that of the worker')
    .option('--schema <json>', 'JSON Schema of the output; @file reads it from a file')
    .option('--max-cost <usd>', 'of all attempts together, such as 2.50');
}

/** @throws CliError for a wrong value */
export async function toWork(context: Context, options: WorkOptions): Promise<Partial<TaskInput>> {
  const { skill, repository, ref, model, schema, maxCost } = options;
  if (ref !== undefined && repository === undefined) throw usageError('--ref needs a repository', 'Add --repository.');
  const amount = maxCost === undefined ? undefined : toDollars(maxCost);
  return {
    ...(skill && { skills: await Promise.all(skill.map((text) => toSkill(context, text))) }),
    ...(repository !== undefined && { workspace: { repository, ...(ref !== undefined && { ref }) } }),
    ...(model !== undefined && { model }),
    ...(schema !== undefined && { output_schema: await readObject(context, '--schema', schema) }),
    ...(amount !== undefined && { max_cost: { amount, currency: 'USD' } }),
  };
}

function toDollars(text: string): number {
  const amount = /^\d{1,9}(?:\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (amount > 0) return amount;
  throw usageError(`--max-cost must be an amount of US dollars above 0, such as 2.50, not ${text}`);
}

/** The registry computes the digest of what it fetches now: a worker refuses what has changed since. */
async function toSkill(context: Context, text: string): Promise<Skill> {
  const [, id, pinned] = PIN.exec(text) ?? [];
  if (id !== undefined && pinned !== undefined) return { id, digest: pinned.toLowerCase() };
  if (/@sha256:/i.test(text)) {
    throw usageError(`--skill ${text} has no digest`, 'Pin a skill as <id>@sha256:<64 hexadecimal digits>.');
  }
  const { out, signal, connection } = context;
  const { readRegistryFile } = await import('@agent-fleet/skills/registry');
  const url = new URL(connection().url).href.replace(/\/+$/, '');
  try {
    const { digest, declared } = await readRegistryFile(text, { url, fetch, signal });
    if (declared !== undefined) {
      out.note(`${text} is not what its source declares (${declared}): workers refuse it unless they take any skill.`);
    }
    return { id: text, digest };
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    out.note(`${text} is not pinned to a digest: ${error.message}`);
    return text;
  }
}

/** JSON from an argument, from a file as `@file`, or from stdin as `@-`. @throws CliError */
export async function readJson(context: Context, option: string, text: string): Promise<unknown> {
  const json = text.startsWith('@') ? await readSource(context, option, text.slice(1)) : text;
  try {
    return exactJson.parse(json);
  } catch {
    throw usageError(
      `${option} is not JSON at ${whereNotJson(json)}`,
      `Give JSON, or @file with JSON in it: ${option} '{"key":"value"}'`,
    );
  }
}

/** The same for an object. @throws CliError */
export async function readObject(context: Context, option: string, text: string): Promise<Record<string, unknown>> {
  const value = await readJson(context, option, text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value))
    return value as Record<string, unknown>;
  throw usageError(`${option} must be an object`, `Such as ${option} '{"ticket":"OPS-12"}'`);
}

async function readSource(context: Context, option: string, file: string): Promise<string> {
  return file === '-' ? context.readStdin() : toText(`${option}: ${file}`, () => readFileSync(file));
}
