import type { FieldError } from '@agent-fleet/shared/http/errors';
import { digestOf } from '../../idempotency/idempotency.ts';
import { findValuesProblem } from './flat-schema.ts';
import type { Answer, AnswerInput, InputRequest } from './request.ts';
import { toolDigest } from './tool-digest.ts';

type Asked = Pick<InputRequest, 'kind' | 'options' | 'multiple' | 'allow_text' | 'input_editable' | 'schema' | 'tool'>;

/** Finds why an answer is not what a request wants. */
export function findAnswerProblem(request: Asked, answer: AnswerInput): FieldError | undefined {
  const { option_ids, text, values, tool_input } = answer;
  return (
    findOptionsProblem(request, option_ids ?? undefined) ??
    (text != null && !request.allow_text ? problem('text', 'the request allows no text') : undefined) ??
    findFormProblem(request, values ?? undefined) ??
    findInputProblem(request, answer, tool_input) ??
    findMissing(request, answer)
  );
}

function findOptionsProblem({ options, multiple }: Asked, ids: readonly string[] | undefined) {
  if (ids === undefined) return undefined;
  const known = options.map(({ id }) => id);
  const isValid = ids.length > 0 && new Set(ids).size === ids.length && ids.every((id) => known.includes(id));
  if (isValid && (multiple || ids.length === 1)) return undefined;
  if (known.length === 0) return problem('option_ids', 'the request has no options');
  return problem('option_ids', `must be ${multiple ? 'some' : 'one'} of ${known.join(', ')}`);
}

function findFormProblem({ schema }: Asked, values: Record<string, unknown> | undefined) {
  if (values === undefined) return undefined;
  if (!schema) return problem('values', 'the request has no form');
  const found = findValuesProblem(schema, values);
  return found && problem(['values', ...found.path].join('.'), found.message);
}

function findInputProblem(request: Asked, answer: AnswerInput, input: unknown): FieldError | undefined {
  if (input === undefined) return undefined;
  if (!request.input_editable || !request.tool) return problem('tool_input', 'the request allows no other input');
  return allows(request, answer) ? undefined : problem('tool_input', 'is only for an option that allows');
}

function findMissing({ kind, options, schema, allow_text }: Asked, answer: AnswerInput): FieldError | undefined {
  const { option_ids, text, values } = answer;
  if (kind === 'form' && !values) return problem('values', 'is required');
  if (kind === 'approval' && !option_ids) return problem('option_ids', 'is required');
  if (option_ids || values || text != null) return undefined;
  const wanted = [options.length > 0 && 'option_ids', allow_text && 'text', schema && 'values'].filter(Boolean);
  return problem('', `must have ${wanted.join(' or ')}`);
}

const problem = (path: string, message: string): FieldError => ({ path, code: 'invalid_answer', message });

const rolesOf = ({ options }: Asked, { option_ids }: AnswerInput) =>
  options.filter(({ id }) => option_ids?.includes(id)).map(({ role }) => role);

const allows = (request: Asked, answer: AnswerInput) =>
  rolesOf(request, answer).some((role) => role === 'allow' || role === 'allow_always');

/** The answer as it is served. `by` is null for a default. */
export function toAnswer(request: Asked, given: AnswerInput, by: Answer['by'], at: string): Answer {
  const { option_ids = null, text = null, values = null, tool_input } = given;
  const { tool } = request;
  const isAllowed = tool !== null && allows(request, given);
  return {
    option_ids: option_ids ?? null,
    text: text ?? null,
    values: values ?? null,
    ...(tool_input !== undefined && { tool_input }),
    tool_digest: isAllowed ? (tool_input === undefined ? tool.digest : toolDigest(tool.name, tool_input)) : null,
    by,
    at,
  };
}

export function isSameAnswer(one: Answer, other: Answer): boolean {
  const given = ({ by: _, at: __, ...answer }: Answer) => answer;
  return digestOf(given(one)) === digestOf(given(other));
}

/** What the audit trail says of an answer. */
export function toDecision(request: Asked, answer: Answer): Record<string, string> {
  const { kind, tool } = request;
  if (kind !== 'approval') return { decision: 'answered' };
  const [decision = 'other'] = rolesOf(request, answer);
  return { ...(tool && { tool: tool.name, digest: answer.tool_digest ?? tool.digest }), decision };
}
