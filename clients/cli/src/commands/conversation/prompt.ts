import { optionLabel } from '@agent-fleet/sdk/words';
import { stoppedError } from '../../errors.ts';
import { safeLine } from '../../output/safe-text.ts';
import { toQuestion } from '../../output/terminal.ts';
import type { Answer, InputRequest } from './request-lines.ts';

/** The choice of an answer in words; no option has such an id. */
const WORDS = ' ';

/** Asks for the answer to a request that has been shown. @throws CliError when the user cancels */
export async function promptAnswer(signal: AbortSignal, request: InputRequest): Promise<Answer> {
  const prompts = await import('@clack/prompts');
  const question = (message = 'Your answer') => toQuestion({ stderr: process.stderr, signal }, message);
  const ask = async (message?: string, findProblem = isMissing) =>
    given(await prompts.text({ ...question(message), validate: (text = '') => findProblem(text) })) ?? '';
  const { options, multiple, allow_text, schema, kind } = request;
  if (schema) return { values: JSON.parse(await ask('Your answer, as JSON', isNoObject)) };
  if (options.length === 0) return { text: await ask() };
  const choices = options.map((option) => ({
    value: option.id,
    label: `${safeLine(optionLabel(option))} (${option.id})`,
  }));
  if (multiple) return { option_ids: given(await prompts.multiselect({ ...question(), options: choices })) };
  const words = allow_text && kind !== 'approval' ? [{ value: WORDS, label: 'Something else' }] : [];
  const id = given(await prompts.select({ ...question(), options: [...choices, ...words] }));
  if (id === WORDS) return { text: await ask() };
  const isDenied = options.find((option) => option.id === id)?.role === 'deny';
  const text = isDenied && allow_text ? await ask('Why? (may be empty)', () => undefined) : '';
  return { option_ids: [id], ...(text && { text }) };
}

function isMissing(text: string): string | undefined {
  return text === '' ? 'Write something.' : undefined;
}

function isNoObject(text: string): string | undefined {
  try {
    if (JSON.parse(text)?.constructor === Object) return undefined;
  } catch {}
  return 'Write an object, such as {"name":"value"}.';
}

/** @throws CliError for the symbol that a cancelled prompt returns */
function given<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === 'symbol') throw stoppedError('Cancelled', 'Nothing was answered.');
  return answer as Exclude<T, symbol>;
}
