import type { components } from '@agent-fleet/sdk';
import { optionLabel, relativeTime } from '@agent-fleet/sdk/words';
import type { Line } from '../../output/output.ts';
import { safeAscii, safeJson, safeLine } from '../../output/safe-text.ts';

export type InputRequest = components['schemas']['InputRequest'];
export type Answer = components['schemas']['InputAnswerInput'];

const KINDS = { approval: 'Approval', question: 'Question', form: 'Form' } as const;
/** Before each line that an agent wrote: none of them looks like one of `fleet`. */
const MARGIN = '  │ ';

/** What an agent asks, with all of what it would run, and how to answer. */
export function requestLines(request: InputRequest): Line[] {
  const { kind, title, text, tool, options, schema, state, answer, created_at, expires_at, default: given } = request;
  const width = Math.max(0, ...options.map(({ id }) => id.length));
  return [
    { style: 'bold', text: `${KINDS[kind]}: ${safeLine(title)}`, rest: `  (asked ${relativeTime(created_at)})` },
    ...(text ? behindMargin(text) : []),
    ...(tool ? [`  tool ${safeAscii(tool.name)}, ${tool.digest}`, ...behindMargin(safeJson(tool.input, 2))] : []),
    ...options.map(({ id, label, role, description }) => {
      return `  ${id.padEnd(width)}  ${safeLine(optionLabel({ label, role }))}${description ? `: ${safeLine(description)}` : ''}`;
    }),
    ...fieldLines(schema),
    ...(state === 'open' && given ? [`  Without an answer: ${safeLine(wordsOf(given))}`] : []),
    ...(state === 'open' ? [`Answer it until ${expires_at}: ${howToAnswer(request)}`] : [stateLine({ state, answer })]),
  ];
}

function behindMargin(text: string): string[] {
  return text.split(/\r?\n/).map((line) => MARGIN + line);
}

/** Such as `It was answered by ada@example.com: deny, Not today` */
export function stateLine({ state, answer }: Pick<InputRequest, 'state' | 'answer'>): string {
  const by = answer?.by ? ` by ${safeLine(answer.by.name)}` : '';
  const said = answer ? `: ${safeLine(wordsOf(answer))}` : '';
  return state === 'expired' ? `Nobody has answered in time${said}` : `It was ${state}${by}${said}`;
}

function wordsOf({ option_ids: ids, text, values }: Pick<NonNullable<InputRequest['default']>, keyof Answer>): string {
  return [...(ids ?? []), text, values && safeJson(values)].filter((part) => part).join(', ');
}

/** A command that answers. It has no id of an option: who pastes it as it is must allow nothing. */
export function howToAnswer({ agent_id, task_id, id, options, schema }: InputRequest): string {
  const words = schema ? '--values' : options.length > 0 ? '--option' : '--text';
  return `fleet tasks answer ${agent_id}/${task_id} --request ${id} ${words} '…'`;
}

interface Property {
  type: string;
  title?: string;
  description?: string;
  enum?: string[];
  items?: { enum?: string[] };
}

/** The fields of a form; the fleet has checked that its schema is flat. */
function fieldLines(schema: InputRequest['schema']): string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { type, title, description, enum: values, items }]) => {
    const choices = values ?? items?.enum;
    const what = `${items ? 'list of ' : ''}${choices ? choices.join(', ') : type}`;
    const words = [title, description].filter(Boolean).join(': ');
    return safeLine(`  ${name} (${what}${required.includes(name) ? '' : '; optional'})  ${words}`);
  });
}
