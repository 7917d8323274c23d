import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Act } from '../../command.ts';
import type { Context } from '../../context.ts';
import { type ExitCode, usageError } from '../../errors.ts';
import { collect, findAgentId, toInteger } from '../../lookup.ts';
import { taskLines } from './render.ts';
import { waitAndPrint } from './watch.ts';

interface AddOptions {
  input?: string;
  metadata?: string;
  priority?: string;
  tag?: string[];
  skill?: string[];
  at?: string;
  expires?: string;
  attempts?: string;
  attemptTimeout?: string;
  idempotencyKey?: string;
  wait?: boolean;
}

/** JSON from an argument, from a file as `@file`, or from stdin as `@-`. @throws CliError */
export async function readJson(context: Context, option: string, text: string): Promise<unknown> {
  const json = text.startsWith('@') ? await readSource(context, option, text.slice(1)) : text;
  try {
    return JSON.parse(json);
  } catch {
    throw usageError(`${option} is not JSON`, `Give JSON, or @file with JSON in it: ${option} '{"key":"value"}'`);
  }
}

async function readObject(context: Context, option: string, text: string): Promise<Record<string, unknown>> {
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

/** A time as RFC 3339, or from now as `+90s`, `+15m`, `+2h`, `+1d`. */
function toTime(option: string, text: string): string {
  const [, amount, unit = 's'] = /^\+(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = { s: 1, m: 60, h: 3_600, d: 86_400 }[unit] ?? 1;
  if (amount !== undefined) return new Date(Date.now() + Number(amount) * seconds * 1_000).toISOString();
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw usageError(`${option} must be a time such as 2026-12-24T18:00:00Z or +2h, not ${text}`);
}

async function add(
  context: Context,
  agent: string,
  message: string | undefined,
  options: AddOptions,
): Promise<ExitCode | undefined> {
  const { fleet, out, signal } = context;
  const isStdin = message === '-' || message === undefined;
  if (isStdin && options.input === '@-') throw usageError('Message and input cannot both be read from stdin');
  if (message === undefined && process.stdin.isTTY)
    throw usageError('The message is missing', 'Add it, or - for stdin.');
  const { input, metadata, priority, attempts, attemptTimeout } = options;
  const body = {
    message: isStdin ? (await context.readStdin()).trimEnd() : message,
    ...(input !== undefined && { input: await readJson(context, '--input', input) }),
    ...((metadata !== undefined || options.skill) && {
      metadata: {
        ...(metadata !== undefined && (await readObject(context, '--metadata', metadata))),
        ...(options.skill && { skills: options.skill }),
      },
    }),
    ...(priority !== undefined && { priority: toInteger('--priority', priority, 1, 10) }),
    ...(options.tag && { tags: options.tag }),
    ...(options.at !== undefined && { scheduled_at: toTime('--at', options.at) }),
    ...(options.expires !== undefined && { expires_at: toTime('--expires', options.expires) }),
    ...(attempts !== undefined && { max_attempts: toInteger('--attempts', attempts, 1, 10) }),
    ...(attemptTimeout !== undefined && {
      timeout_seconds: toInteger('--attempt-timeout', attemptTimeout, 1, 86_400),
    }),
  };
  const path = { agent_id: await findAgentId(context, agent) };
  const { data: task } = await fleet().post('/agents/{agent_id}/tasks', {
    params: { path },
    body,
    signal,
    idempotencyKey: options.idempotencyKey,
  });
  if (!options.wait) {
    out.record(task, taskLines(context));
    return undefined;
  }
  out.note(`Added task ${task.id}`);
  return waitAndPrint(context, { agentId: task.agent_id, taskId: task.id });
}

export function registerAdd(tasks: Command, act: Act): void {
  tasks
    .command('add <agent> [message]')
    .description('give a task to an agent; with - as the message, it is read from stdin')
    .option('--input <json>', 'any JSON; @file reads it from a file, @- from stdin')
    .option('--metadata <json>', 'an object of JSON, or @file')
    .option('--priority <n>', '1 (first) to 10')
    .option('--tag <tag>', 'may be repeated', collect)
    .option('--skill <id>', 'a skill for the worker, kept in the metadata as `skills`; may be repeated', collect)
    .option('--at <time>', 'do not start before, such as 2026-12-24T18:00:00Z or +2h')
    .option('--expires <time>', 'fails unless it has started by then')
    .option('--attempts <n>', 'attempts at most, 1 to 10')
    .option('--attempt-timeout <seconds>', 'limit of one attempt')
    .option('--idempotency-key <key>', 'the same key and task create one task only')
    .option('--wait', 'wait for the end, print the result; exit code 5 if it fails')
    .action(act(add));
}
