import type { components, Task } from '@agent-fleet/sdk';
import { parseInput } from './parse-input.ts';

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
type TaskInput = components['schemas']['TaskInput'];

export const NO_OPTIONS: AgentOptions = {
  skills: '',
  repository: '',
  ref: '',
  model: '',
  outputSchema: '',
  maxCost: '',
};

export function toAgentOptions({ skills, workspace, model, output_schema, max_cost }: Task): AgentOptions {
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
