import { NO_OPTIONS, optionErrors, toOptionFields } from '../tasks/task-draft.ts';
import { utf8Bytes } from '../text/pieces.ts';
import type { Definition, DefinitionInput } from './definition.ts';

/** A field of the form. `lines` has an entry a line, `values` lines of `NAME=value` or `NAME=prefix ${SECRET}`. */
export interface DefinitionField {
  /** In the record, and in the errors of the API. */
  path: string;
  label: string;
  kind: 'text' | 'number' | 'select' | 'area' | 'skills' | 'lines' | 'values' | 'json';
  hint?: string;
  options?: readonly string[];
}

type Kind = DefinitionField['kind'];
const field = (path: string, label: string, kind: Kind = 'text', more = {}): DefinitionField => ({
  ...{ path, label, kind, ...more },
});
const RUNTIMES = ['claude-code', 'codex', 'gemini', 'opencode', 'copilot', 'acp'];
const ONE_A_LINE = { hint: 'One a line.' };

export const FIELDS: readonly DefinitionField[] = [
  field('description', 'Description'),
  field('instructions', 'Instructions', 'area', { hint: 'Markdown, which the agent reads before each task.' }),
  field('model', 'Model'),
  field('skills', 'Skills', 'skills', { hint: 'Ids of the registry, one a line.' }),
  field('runtime', 'Runtime', 'select', { options: RUNTIMES }),
  field('effort', 'Effort', 'select', { options: ['low', 'medium', 'high'] }),
  field('workspace.repository', 'Repository'),
  field('workspace.ref', 'Ref'),
  field('permissions.mode', 'Permissions', 'select', { options: ['read-only', 'edit', 'full'] }),
  field('permissions.allow', 'Allowed', 'lines', { hint: 'Rules such as Bash(git *), one a line.' }),
  field('permissions.ask', 'Asks a person about', 'lines', ONE_A_LINE),
  field('permissions.deny', 'Denied', 'lines', ONE_A_LINE),
  field('limits.timeout_seconds', 'Timeout of an attempt, in seconds', 'number'),
  field('limits.max_attempts', 'Maximum attempts', 'number'),
  field('limits.max_turns', 'Maximum turns', 'number'),
  field('limits.max_cost.amount', 'Maximum cost of a task, in USD', 'number'),
  field('max_concurrency', 'Tasks at once', 'number'),
  field('budget.amount', 'Budget, in USD', 'number'),
  field('budget.period', 'Period of the budget', 'select', { options: ['day', 'week', 'month', 'total'] }),
  field('budget.time_zone', 'Time zone of the budget'),
  field('requires', 'Labels that a worker must have', 'lines', ONE_A_LINE),
  field('tags', 'Tags of its tasks', 'lines', ONE_A_LINE),
  field('output_schema', 'Output schema', 'json', { hint: 'JSON Schema.' }),
];

/** Of an MCP server: those of a URL, or those of a command. */
export const serverFields = (at: number, isUrl: boolean): DefinitionField[] => [
  field(`mcp_servers.${at}.name`, 'Name of the server'),
  ...(isUrl
    ? [field(`mcp_servers.${at}.url`, 'URL'), field(`mcp_servers.${at}.headers`, 'Headers', 'values', SECRETS)]
    : [
        field(`mcp_servers.${at}.command`, 'Command'),
        field(`mcp_servers.${at}.args`, 'Arguments', 'lines', ONE_A_LINE),
        field(`mcp_servers.${at}.env`, 'Variables', 'values', SECRETS),
      ]),
];
// biome-ignore lint/suspicious/noTemplateCurlyInString: this is what one writes.
const SECRETS = { hint: 'NAME=value, one a line. A secret that the worker has: NAME=Bearer ${SECRET}.' };

/** The texts of the form by the paths of their fields. A server is there that has an address, even an empty one. */
export type Draft = Partial<Record<string, string>>;

export const NOTE = field('note', 'Note', 'text', { hint: 'Why you change it.' });

export function serverKind(draft: Draft, at: number): 'url' | 'command' | undefined {
  return (['url', 'command'] as const).find((kind) => draft[`mcp_servers.${at}.${kind}`] !== undefined);
}

export const MAX_SERVERS = 8;

function fieldsOf(draft: Draft): DefinitionField[] {
  const kinds = Array.from({ length: MAX_SERVERS }, (_, at) => serverKind(draft, at));
  return [...FIELDS, NOTE, ...kinds.flatMap((kind, at) => (kind ? serverFields(at, kind === 'url') : []))];
}

export function toDraft(definition: Definition | null): Draft {
  const servers = definition?.mcp_servers.map(({ url }, at) => serverFields(at, url !== undefined)) ?? [];
  const texts = [...FIELDS, ...servers.flat()].map(({ path, kind }) => [path, toText(valueAt(definition, path), kind)]);
  return { ...Object.fromEntries(texts), note: '' };
}

function valueAt(record: unknown, path: string): unknown {
  return path.split('.').reduce((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], record);
}

/** A value as it is in its field. */
function toText(value: unknown, kind: Kind): string {
  if (typeof value !== 'object') return String(value ?? '');
  if (value === null) return '';
  if (Array.isArray(value)) {
    return value.map((entry) => (typeof entry === 'string' ? entry : `${entry.id} ${entry.digest}`)).join('\n');
  }
  if (kind === 'json') return JSON.stringify(value, null, 2);
  return Object.entries(value)
    .map(([key, one]) => `${key}=${typeof one === 'string' ? one : `${one.prefix ?? ''}\${${one.secret}}`}`)
    .join('\n');
}

const SECRET = /^(.*)\$\{([A-Za-z_]\w*)\}$/;

function toValue({ kind }: DefinitionField, text: string): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (kind === 'skills') return toOptionFields({ ...NO_OPTIONS, skills: text }).skills ?? [];
  if (kind === 'json') return toOptionFields({ ...NO_OPTIONS, outputSchema: text }).output_schema;
  if (kind === 'lines') return lines;
  if (kind === 'number') return Number(text);
  if (kind !== 'values') return text;
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split('=');
      const [, prefix, secret] = SECRET.exec(rest.join('=')) ?? [];
      return [name.trim(), secret ? { secret, ...(prefix && { prefix }) } : rest.join('=')];
    }),
  );
}

/** What is wrong with what is typed, as far as the page knows. */
export function problemOf({ kind }: DefinitionField, text = ''): string | undefined {
  if (kind === 'number' && text && !(Number(text) >= 0)) return 'Must be a number.';
  if (kind === 'area' && utf8Bytes(text) > 65_536) return 'Must not be larger than 64 KiB.';
  if (kind === 'values' && text.split('\n').some((line) => line.trim() && !/^[^=]+=/.test(line))) {
    return 'Write NAME=value, one a line.';
  }
  if (kind === 'skills') return optionErrors({ ...NO_OPTIONS, skills: text }).skills;
  return kind === 'json' ? optionErrors({ ...NO_OPTIONS, outputSchema: text }).outputSchema : undefined;
}

/** The body of a new version; what the form does not have is that of `before`. @throws Error for wrong values */
export function toDefinitionInput(draft: Draft, before: Definition | null): DefinitionInput {
  const old = toDraft(before);
  const body: Record<string, unknown> = { retry_policy: before?.retry_policy };
  for (const one of fieldsOf(draft)) {
    const { path } = one;
    const text = draft[path] ?? '';
    if (text !== old[path] && problemOf(one, text)) throw new Error('Correct the marked fields.');
    if (text.trim() === '' || (path.startsWith('budget.') && !draft['budget.amount'])) continue;
    // A field may not be able to show its value, such as one with a line break.
    setAt(body, path, text === old[path] ? valueAt(before, path) : toValue(one, text));
    if (path.endsWith('max_cost.amount')) setAt(body, path.replace('amount', 'currency'), 'USD');
  }
  if (body.mcp_servers) body.mcp_servers = Object.values(body.mcp_servers);
  return body as DefinitionInput;
}

function setAt(record: Record<string, unknown>, path: string, value: unknown): void {
  const [key = '', ...rest] = path.split('.');
  if (rest.length === 0) record[key] = value;
  else {
    record[key] ??= {};
    setAt(record[key] as Record<string, unknown>, rest.join('.'), value);
  }
}

/** The errors of a refused request, at their fields; in a list, with the number of the entry. */
export function toDefinitionErrors(draft: Draft, fields: readonly { path: string; message: string }[]): Draft {
  const errors: Draft = {};
  const paths = fieldsOf(draft).map(({ path }) => path);
  for (const { path, message } of fields) {
    const found = paths.find((one) => `${path}.`.startsWith(`${one}.`)) ?? paths.find((one) => one.startsWith(path));
    const entry = found && /^\.(\d+)/.exec(path.slice(found.length))?.[1];
    if (found) errors[found] = `${entry ? `Line ${Number(entry) + 1}` : 'It'} ${message}.`;
  }
  return errors;
}
