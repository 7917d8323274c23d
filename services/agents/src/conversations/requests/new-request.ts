import type { Input } from '@agent-fleet/shared/contract/operation';
import type { FieldError } from '@agent-fleet/shared/http/errors';
import { createId } from '@agent-fleet/shared/ids';
import { digestOf } from '../../idempotency/idempotency.ts';
import { INTERRUPTION } from '../../tasks/rules/interruption.ts';
import type { Task } from '../../tasks/task.ts';
import { findAnswerProblem } from './answers.ts';
import type { createInputRequest } from './contract.ts';
import type { AnswerInput, InputRequest } from './request.ts';
import { toolDigest } from './tool-digest.ts';

export type RequestInput = Omit<Input<typeof createInputRequest>['body'], 'token'>;

/** A request as it is stored: the rest follows from its end. */
type StoredRequest = Omit<InputRequest, 'state' | 'answer'>;

const APPROVAL_OPTIONS: InputRequest['options'] = [
  { id: 'allow', label: 'Allow', description: null, role: 'allow' },
  { id: 'deny', label: 'Deny', description: null, role: 'deny' },
];

/** What a worker asks, with defaults, apart from what depends on the task. */
function toAsked(input: RequestInput) {
  const options = input.options?.map((option) => ({ ...option, description: option.description ?? null })) ?? [];
  const { tool } = input;
  return {
    kind: input.kind,
    title: input.title,
    text: input.text ?? null,
    tool: tool
      ? { name: tool.name, input: tool.input ?? null, digest: toolDigest(tool.name, tool.input ?? null) }
      : null,
    options: options.length === 0 && input.kind === 'approval' ? APPROVAL_OPTIONS : options,
    multiple: input.multiple,
    allow_text: input.allow_text,
    input_editable: input.input_editable,
    schema: input.schema ?? null,
    default: input.default ? toDefault(input.default) : null,
  };
}

const toDefault = ({ option_ids = null, text = null, values = null, ...rest }: AnswerInput) => ({
  ...{ option_ids, text, values },
  ...rest,
});

/** Finds a contradiction in what a worker asks. */
export function findRequestProblem(input: RequestInput): FieldError | undefined {
  const asked = toAsked(input);
  const problem = (path: string, message: string) => ({ path, code: 'invalid_request', message });
  if (input.key.startsWith(INTERRUPTION)) return problem('key', `must not begin with ${INTERRUPTION}`);
  if (input.kind === 'approval' && input.multiple) return problem('multiple', 'is not for an approval');
  if (input.kind === 'form' && !asked.schema) return problem('schema', 'is required of a form');
  if (input.kind !== 'form' && asked.options.length === 0 && !asked.allow_text && !asked.schema) {
    return problem('options', 'must be given where no text is allowed');
  }
  if (asked.input_editable && !asked.tool) return problem('input_editable', 'is only for a request with a tool');
  const found = asked.default ? findAnswerProblem(asked, asked.default) : undefined;
  return found && { ...found, path: ['default', found.path].filter(Boolean).join('.') };
}

/** Builds a request of a running task. */
export function toNewRequest({ id: task_id, agent_id, attempt }: Task, input: RequestInput, now: number) {
  const id = createId(now);
  const expiresAt = now + input.expires_in_seconds * 1_000;
  const stored: StoredRequest = {
    ...{ id, agent_id, task_id, attempt, key: input.key },
    ...toAsked(input),
    created_at: new Date(now).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
  return {
    ...{ id, key: input.key, kind: input.kind, title: input.title, expiresAt, hasDefault: stored.default !== null },
    digest: digestOf(input),
    record: JSON.stringify(stored),
  };
}
