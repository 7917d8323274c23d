import type { Command } from 'commander';
import type { Act, Context } from '../../context.ts';
import { usageError } from '../../errors.ts';
import { collect, findTask, toPath } from '../../lookup.ts';
import { safeLine } from '../../output/safe-text.ts';
import { readJson, readObject } from '../tasks/work-options.ts';
import { promptAnswer } from './prompt.ts';
import { type Answer, howToAnswer, requestLines } from './request-lines.ts';
import { findRequest, sendAnswer } from './requests.ts';

interface AnswerOptions {
  option?: string[];
  text?: string;
  values?: string;
  toolInput?: string;
  request?: string;
}

async function answer(context: Context, ref: string, { request: id, ...options }: AnswerOptions): Promise<void> {
  const { out, canAsk, signal } = context;
  const request = await findRequest(context, await findTask(context, ref), id);
  let body = await toAnswer(context, options);
  if (Object.keys(body).length === 0) {
    if (!canAsk) throw usageError(`The answer to "${safeLine(request.title)}" is missing`, howToAnswer(request));
    out.lines(requestLines(request));
    body = await promptAnswer(signal, request);
  }
  out.record(await sendAnswer(context, request, body), ({ title }) => [`Answered: ${safeLine(title)}`]);
}

async function toAnswer(context: Context, { option, text, values, toolInput }: AnswerOptions): Promise<Answer> {
  return {
    ...(option && { option_ids: option }),
    ...(text !== undefined && { text }),
    ...(values !== undefined && { values: await readObject(context, '--values', values) }),
    ...(toolInput !== undefined && { tool_input: await readJson(context, '--tool-input', toolInput) }),
  };
}

interface SayOptions {
  steer?: boolean;
  interrupt?: boolean;
}

async function say(context: Context, ref: string, text: string, { steer, interrupt }: SayOptions): Promise<void> {
  if (steer && interrupt) throw usageError('Give --steer or --interrupt, not both');
  const { fleet, out, signal } = context;
  const mode = interrupt ? 'interrupt' : steer ? 'steer' : 'queue';
  const { data } = await fleet().post('/agents/{agent_id}/tasks/{task_id}/messages', {
    params: { path: toPath(await findTask(context, ref)) },
    body: { text: text === '-' ? (await context.readStdin()).trimEnd() : text, mode },
    signal,
  });
  if (mode !== 'queue' && data.delivered_as === 'queue') {
    out.note(`Its worker cannot ${mode}: the agent reads it after this turn.`);
  }
  out.record(data, () => [`The message is ${data.state}.`]);
}

async function interrupt(context: Context, ref: string): Promise<void> {
  const { fleet, out, signal } = context;
  const path = toPath(await findTask(context, ref));
  const init = { params: { path }, signal };
  const { data, response } = await fleet().put('/agents/{agent_id}/tasks/{task_id}/interruption', init);
  out.record({ id: data.request_id, ...data }, ({ id }) => [
    id || response.status === 200
      ? 'The task waits for an answer: fleet inbox shows it.'
      : 'The agent is told to stop; the task then asks what now.',
  ]);
}

export function registerConversation(tasks: Command, act: Act): void {
  tasks
    .command('answer <task>')
    .description('answer what a task asks; without an answer, one is asked for on a terminal')
    .option('--option <id>', 'a choice; may be repeated where several may be chosen', collect)
    .option('--text <text>', 'an answer in words, or the reason of a choice')
    .option('--values <json>', 'the values of a form; @file reads them from a file')
    .option('--tool-input <json>', 'another input of the tool that is allowed')
    .option('--request <id>', 'which of several input requests')
    .action(act(answer));
  tasks
    .command('say <task> <text>')
    .description('say something to the agent of a task; - reads it from stdin')
    .option('--steer', 'in its turn, if it can take it there')
    .option('--interrupt', 'it stops its turn, and goes on with this')
    .action(act(say));
  tasks
    .command('interrupt <task>')
    .description('stop the turn of the agent; the task then asks what now')
    .action(act(interrupt));
}
