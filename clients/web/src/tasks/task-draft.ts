import type { components, Task } from '@agent-fleet/sdk';
import { exactJson } from '../api/exact-json.ts';
import { safeLine } from '../text/safe-text.ts';
import { fromLocalInput, toLocalInput } from '../text/times.ts';

type TaskInput = components['schemas']['TaskInput'];

/** The fields of a form for workers that are agents. */
export interface AgentOptions {
  /** Ids, one a line, each with a digest behind it if it is pinned. */
  skills: string;
  repository: string;
  ref: string;
  model: string;
  /** JSON; empty: none. */
  outputSchema: string;
  /** In USD. */
  maxCost: string;
}

export type OptionErrors = Partial<Record<keyof AgentOptions, string>>;

export const NO_OPTIONS: AgentOptions = {
  skills: '',
  repository: '',
  ref: '',
  model: '',
  outputSchema: '',
  maxCost: '',
};

export function toAgentOptions({
  skills,
  workspace,
  model,
  output_schema,
  max_cost,
}: Pick<Task, 'skills' | 'workspace' | 'model' | 'output_schema' | 'max_cost'>): AgentOptions {
  const lines = skills?.map((skill) => (typeof skill === 'string' ? skill : `${skill.id} ${skill.digest}`));
  return {
    skills: lines?.join('\n') ?? '',
    repository: workspace?.repository ?? '',
    ref: workspace?.ref ?? '',
    model: model ?? '',
    outputSchema: output_schema ? JSON.stringify(output_schema, null, 2) : '',
    maxCost: max_cost ? String(max_cost.amount) : '',
  };
}

export function optionErrors({ skills, repository, ref, outputSchema, maxCost }: AgentOptions): OptionErrors {
  const schema = parseInput(outputSchema);
  const isObject = !('value' in schema) || /^\s*\{/.test(outputSchema);
  return {
    ...(skillLines(skills).some((line) => !SKILL.test(line)) && {
      skills: 'Write one id a line; behind it, a digest such as sha256:… if it is pinned.',
    }),
    ...(ref.trim() && !repository.trim() && { repository: 'A ref needs a repository.' }),
    ...('error' in schema && { outputSchema: schema.error }),
    ...(!isObject && { outputSchema: 'Must be a JSON object.' }),
    ...(maxCost.trim() && !(Number(maxCost) > 0) && { maxCost: 'Must be a number above 0.' }),
  };
}

/** What is set of them. */
export function toOptionFields(options: AgentOptions): Partial<TaskInput> {
  const [repository, ref, model, maxCost] = [options.repository, options.ref, options.model, options.maxCost].map(
    (text) => text.trim(),
  );
  const skills = skillLines(options.skills).map((line) => {
    const [id = '', digest] = line.split(/\s+/);
    return digest ? { id, digest } : id;
  });
  const schema = parseInput(options.outputSchema);
  return {
    ...(skills.length > 0 && { skills }),
    ...(repository && { workspace: { repository, ...(ref && { ref }) } }),
    ...(model && { model }),
    ...('value' in schema && { output_schema: schema.value as Record<string, unknown> }),
    ...(maxCost && { max_cost: { amount: Number(maxCost), currency: 'USD' as const } }),
  };
}

const SKILL = /^\S+(\s+sha256:[0-9a-f]{64})?$/;

function skillLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** What is in the fields of a form. */
export interface TaskDraft extends AgentOptions {
  message: string;
  /** JSON; empty: none. */
  input: string;
  priority: string;
  /** Separated by commas. */
  tags: string;
  /** Local times, as the inputs have them. */
  scheduledAt: string;
  expiresAt: string;
  timeoutSeconds: string;
  maxAttempts: string;
}

export type DraftErrors = Partial<Record<keyof TaskDraft, string>>;

export const NEW_DRAFT: TaskDraft = {
  message: '',
  input: '',
  priority: '5',
  tags: '',
  scheduledAt: '',
  expiresAt: '',
  timeoutSeconds: '',
  maxAttempts: '',
  ...NO_OPTIONS,
};

export function toDraft(task: Task): TaskDraft {
  return {
    message: task.message,
    input: task.input === null ? '' : JSON.stringify(task.input, null, 2),
    priority: String(task.priority),
    tags: (task.tags ?? []).join(', '),
    scheduledAt: toLocalInput(task.scheduled_at),
    expiresAt: toLocalInput(task.expires_at),
    timeoutSeconds: String(task.timeout_seconds),
    maxAttempts: String(task.max_attempts),
    ...toAgentOptions(task),
  };
}

/** Of a new task like another one: its times have passed. */
export function toCopy(task: Task): TaskDraft {
  return { ...toDraft(task), scheduledAt: '', expiresAt: '' };
}

/** Checks what the page can; the fleet checks the rest. */
export function toTaskInput(draft: TaskDraft): { body: TaskInput } | { errors: DraftErrors } {
  const input = parseInput(draft.input);
  const errors: DraftErrors = {
    ...(draft.message === '' && { message: 'Say what to do.' }),
    ...('error' in input && { input: input.error }),
    ...integerError('timeoutSeconds', draft.timeoutSeconds, 86_400),
    ...integerError('maxAttempts', draft.maxAttempts, 10),
    ...optionErrors(draft),
  };
  if (Object.keys(errors).length > 0) return { errors };
  const tags = toTags(draft.tags);
  return {
    body: {
      message: draft.message,
      ...('value' in input && { input: input.value }),
      priority: Number(draft.priority),
      scheduled_at: fromLocalInput(draft.scheduledAt) ?? null,
      expires_at: fromLocalInput(draft.expiresAt) ?? null,
      ...(draft.timeoutSeconds && { timeout_seconds: Number(draft.timeoutSeconds) }),
      ...(draft.maxAttempts && { max_attempts: Number(draft.maxAttempts) }),
      tags: tags.length > 0 ? tags : null,
      ...toOptionFields(draft),
    },
  };
}

/** The body that replaces a pending task: what the form does not have stays. A start that has passed is over. */
export function toReplacement(body: TaskInput, task: Task, now: number): TaskInput {
  const { retry_policy, metadata, retry_of, continue_of } = task;
  const replacement = { ...body, retry_policy, metadata, retry_of, continue_of };
  // The fields of times have minutes only: what was not changed is sent as it was.
  for (const name of ['scheduled_at', 'expires_at'] as const) {
    const before = task[name];
    if (toLocalInput(before) === toLocalInput(body[name])) replacement[name] = before;
  }
  const start = replacement.scheduled_at;
  if (start && Date.parse(start) <= now) replacement.scheduled_at = null;
  return replacement;
}

/** Names of fields in the API's errors. */
const FIELDS: Record<string, keyof TaskDraft> = {
  message: 'message',
  input: 'input',
  priority: 'priority',
  tags: 'tags',
  scheduled_at: 'scheduledAt',
  expires_at: 'expiresAt',
  timeout_seconds: 'timeoutSeconds',
  max_attempts: 'maxAttempts',
  skills: 'skills',
  workspace: 'repository',
  'workspace.ref': 'ref',
  model: 'model',
  output_schema: 'outputSchema',
  max_cost: 'maxCost',
};

/** The errors of a refused request, at their fields. */
export function toDraftErrors(fields: readonly { path: string; message: string }[]): DraftErrors {
  const errors: DraftErrors = {};
  for (const { path, message } of fields) {
    const name = FIELDS[path] ?? FIELDS[path.split('.')[0] ?? ''];
    if (name) errors[name] = `It ${message}.`;
  }
  return errors;
}

function toTags(text: string): string[] {
  const tags = text.split(',').map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

function integerError(name: keyof TaskDraft, text: string, max: number): DraftErrors {
  const isValid = text === '' || (/^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= max);
  return isValid ? {} : { [name]: `Must be a whole number from 1 to ${max.toLocaleString('en')}.` };
}

type ParsedInput = { value?: unknown } | { error: string };

/** Parses the input of a task; an empty text is no input. */
function parseInput(text: string): ParsedInput {
  if (text.trim() === '') return {};
  try {
    return { value: exactJson.parse(text) };
  } catch (error) {
    return { error: `This is not JSON: ${safeLine((error as SyntaxError).message)}` };
  }
}
