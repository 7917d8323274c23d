import { stoppedError } from '../../errors.ts';
import { safeLine } from '../../output/safe-text.ts';
import { toQuestion } from '../../output/terminal.ts';
import { type Answer, type Field, fieldsOf, type InputRequest } from './request-lines.ts';

type Prompts = typeof import('@clack/prompts');

/** The choice of an answer in words; no option has such an id. */
const WORDS = ' ';

/** Asks for the answer to a request that has been shown. @throws CliError when the user cancels */
export async function promptAnswer(signal: AbortSignal, request: InputRequest): Promise<Answer> {
  const prompts = await import('@clack/prompts');
  const question = (message: string) => toQuestion({ stderr: process.stderr, signal }, message);
  const { options, multiple, allow_text, schema, kind } = request;
  if (schema) return { values: await promptForm(prompts, question, fieldsOf(schema)) };
  if (options.length === 0) return { text: await promptText(prompts, question('Your answer'), true) };

  const choices = options.map(({ id, label }) => ({ value: id, label: `${safeLine(label)} (${id})` }));
  if (multiple) {
    const option_ids = given(await prompts.multiselect({ ...question('Your answer'), options: choices }));
    return { option_ids };
  }
  const words = allow_text && kind !== 'approval' ? [{ value: WORDS, label: 'Something else' }] : [];
  const id = given(await prompts.select({ ...question('Your answer'), options: [...choices, ...words] }));
  if (id === WORDS) return { text: await promptText(prompts, question('Your answer'), true) };
  const isDenied = options.find((option) => option.id === id)?.role === 'deny';
  const text = isDenied && allow_text ? await promptText(prompts, question('Why? (may be empty)'), false) : '';
  return { option_ids: [id], ...(text && { text }) };
}

type Question = ReturnType<typeof toQuestion>;

async function promptText(prompts: Prompts, question: Question, isRequired: boolean): Promise<string> {
  const validate = (text = '') => (isRequired && text === '' ? 'Write something.' : undefined);
  return given(await prompts.text({ ...question, validate })) ?? '';
}

async function promptForm(prompts: Prompts, question: (message: string) => Question, fields: readonly Field[]) {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await promptField(prompts, question(field.title ?? field.name), field);
    if (value !== undefined && value !== '') values[field.name] = value;
  }
  return values;
}

async function promptField(prompts: Prompts, question: Question, { type, choices, isRequired }: Field) {
  if (type === 'boolean') return given(await prompts.confirm(question));
  const options = choices?.map((value) => ({ value, label: safeLine(value) })) ?? [];
  if (type === 'array') return given(await prompts.multiselect({ ...question, options, required: isRequired }));
  if (choices) return given(await prompts.select({ ...question, options }));
  if (type === 'string') return promptText(prompts, question, isRequired);
  const isNumber = type === 'integer' ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/;
  const validate = (text = '') => {
    const isValid = isNumber.test(text) || (text === '' && !isRequired);
    return isValid ? undefined : `It must be ${type === 'integer' ? 'a whole number' : 'a number'}.`;
  };
  const text = given(await prompts.text({ ...question, validate })) ?? '';
  return text === '' ? undefined : Number(text);
}

/** @throws CliError for the symbol that a cancelled prompt returns */
function given<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === 'symbol') throw stoppedError('Cancelled', 'Nothing was answered.');
  return answer as Exclude<T, symbol>;
}
