import { type components, FleetError, type Task } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { type AgentName, useAgentNames, useAgents } from '../agents/agent-names.ts';
import { fleet } from '../api/fleet.ts';
import { useGet } from '../api/use-get.ts';
import { type Choice, Combobox } from '../components/combobox.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { SelectField, TextArea, TextField } from '../components/field.tsx';
import { toast } from '../components/toast.tsx';
import { type Fields, useFields } from '../components/use-form.ts';
import { count } from '../text/numbers.ts';
import { safeLine } from '../text/safe-text.ts';
import { NEW_DRAFT, type TaskDraft, toCopy, toDraftErrors, toTaskInput } from './task-draft.ts';
import './tasks.css';

type Definition = components['schemas']['Definition'];

const MAX_LISTED = 1_000;

interface NewTaskDialogProps {
  /** The agent that is chosen at first. */
  agentId?: string;
  /** A task whose fields the form has at first. */
  like?: Task;
  onClose: () => void;
  onCreated?: (task: Task) => void;
}

export function NewTaskDialog({ agentId, like, onClose, onCreated }: NewTaskDialogProps) {
  const agents = useAgents();
  const [chosen, setChosen] = useState(agentId);
  const { fields, submit } = useTaskDraft(like ? toCopy(like) : NEW_DRAFT);
  const target = chosen ?? agents.data?.[0]?.id;
  const params = target === undefined ? null : { path: { agent_id: target }, query: { optional: true } };
  const { data: definition } = useGet('/agents/{agent_id}/definition', params);

  const create = () =>
    submit(async (body) => {
      if (target === undefined) return;
      const { data } = await fleet.post('/agents/{agent_id}/tasks', {
        params: { path: { agent_id: target } },
        body: { ...body, ...(like && { retry_policy: like.retry_policy, metadata: like.metadata }) },
      });
      toast('Task created.');
      onCreated?.(data);
    });

  return (
    <FormDialog title="Create task" action="Create task" isDisabled={!target} onSubmit={create} onClose={onClose}>
      <AgentField
        agents={agents.data ?? []}
        chosen={target}
        onChange={setChosen}
        isLoaded={agents.data !== undefined}
      />
      <TaskFields fields={fields} isDetailed={like !== undefined} definition={definition} />
    </FormDialog>
  );
}

interface AgentFieldProps {
  agents: readonly AgentName[];
  chosen: string | undefined;
  isLoaded: boolean;
  onChange: (id: string) => void;
}

/** The newest agents, and the chosen one if it is older. */
function AgentField({ agents, chosen, isLoaded, onChange }: AgentFieldProps) {
  const isListed = agents.some(({ id }) => id === chosen);
  const names = useAgentNames(chosen === undefined || isListed ? [] : [chosen], isLoaded);
  const older = chosen === undefined || isListed ? undefined : { id: chosen, name: names.get(chosen)?.name ?? chosen };
  const options = [...(older ? [older] : []), ...agents].map(({ id, name }) => ({ value: id, label: safeLine(name) }));
  const isCut = agents.length >= MAX_LISTED;
  return (
    <SelectField
      label="Agent"
      hint={
        isCut ? `The newest ${count(MAX_LISTED)} agents. For an older one, create the task on its page.` : undefined
      }
      error={isLoaded && options.length === 0 ? 'There is no agent. Create one first.' : undefined}
      value={chosen ?? ''}
      options={options.length > 0 ? options : [{ value: '', label: isLoaded ? 'No agents' : 'Loading…' }]}
      onInput={onChange}
    />
  );
}

const PRIORITIES = Array.from({ length: 10 }, (_, index) => {
  const value = String(index + 1);
  const word = { 1: ' (first)', 5: ' (default)', 10: ' (last)' }[index + 1] ?? '';
  return { value, label: `${value}${word}` };
});

interface TaskFieldsProps {
  fields: Fields<TaskDraft>;
  /** Whether the further fields are shown at first. */
  isDetailed?: boolean;
  /** Of the agent: what holds where a field is empty. */
  definition?: Pick<Definition, 'model' | 'skills' | 'workspace' | 'limits'> | null | undefined;
}

const MAIN = ['message', 'model', 'skills', 'repository', 'maxCost'];

/** The message, and what differs from the agent; the other fields are behind "More". */
export function TaskFields({ fields, isDetailed, definition }: TaskFieldsProps) {
  const { values: draft, errors, field } = fields;
  const hasFailed = Object.keys(errors).some((name) => !MAIN.includes(name));
  const addSkill = (id: string) => field('skills').onInput([draft.skills.trim(), id].filter(Boolean).join('\n'));
  const { model, skills = [], workspace, limits } = definition ?? {};
  const usual = (text: string | null | undefined, other: string) => (text ? `${safeLine(text)}, as the agent` : other);
  const cost = limits?.max_cost;
  return (
    <>
      <TextArea label="Message" rows={4} required autofocus {...field('message')} />
      <div class="task-field-grid">
        <TextField label="Model" placeholder={usual(model, 'that of the worker')} {...field('model')} />
        <TextField
          label="Repository"
          placeholder={usual(workspace?.repository, 'https://github.com/…')}
          {...field('repository')}
        />
        <TextField
          label="Maximum cost, in USD"
          placeholder={usual(cost && String(cost.amount), 'no limit')}
          {...field('maxCost')}
        />
        <div class="stack-tight">
          <TextArea
            label="Skills"
            hint={`Ids, one a line${skills.length > 0 ? `, in the place of the agent's ${skills.length}` : ''}.`}
            rows={2}
            isCode
            {...field('skills')}
          />
          <Combobox label="Find a skill" fixed={typedSkill} search={findSkills} onChoose={addSkill} />
        </div>
      </div>
      <details class="fold" open={isDetailed || hasFailed}>
        <summary>More</summary>
        <div class="task-field-grid">
          <TextArea label="Input" hint="JSON, if the worker needs data." rows={4} isCode {...field('input')} />
          <TextArea label="Output schema" hint="JSON Schema." rows={4} isCode {...field('outputSchema')} />
          <SelectField label="Priority" options={PRIORITIES} {...field('priority')} />
          <TextField label="Tags" placeholder="release, weekly" autocomplete="off" {...field('tags')} />
          <TextField label="Ref" placeholder="branch, tag or commit" {...field('ref')} />
          <TextField label="Start no earlier than" type="datetime-local" {...field('scheduledAt')} />
          <TextField label="Expires" type="datetime-local" {...field('expiresAt')} />
          <TextField
            label="Timeout of an attempt, in seconds"
            type="number"
            placeholder={String(limits?.timeout_seconds ?? 3_600)}
            {...field('timeoutSeconds')}
          />
          <TextField
            label="Maximum attempts"
            type="number"
            placeholder={String(limits?.max_attempts ?? 3)}
            {...field('maxAttempts')}
          />
        </div>
      </details>
    </>
  );
}

/** An id that is typed may be taken as it is. */
export function typedSkill(id: string): Choice[] {
  return /^\S+$/.test(id) ? [{ key: id, label: `Add “${id}”` }] : [];
}

export async function findSkills(q: string, signal: AbortSignal): Promise<Choice[]> {
  const query = { q, limit: 8, fields: 'name,description', cursor: '' };
  const { skills } = (await fleet.get('/api/catalogue', { params: { query }, signal })).data;
  return skills.map(({ id, name, description }) => ({ key: id, label: `${name}`, detail: `${description}` }));
}

/** The state of a form of a task. */
export function useTaskDraft(initial: TaskDraft) {
  const fields = useFields(initial);
  const { values, setErrors } = fields;

  /** Sends the task; errors of fields are shown at them. @throws Error what the form shows */
  async function submit(send: (body: components['schemas']['TaskInput']) => Promise<void>): Promise<void> {
    const result = toTaskInput(values);
    setErrors('errors' in result ? result.errors : {});
    if ('errors' in result) throw new Error('Correct the marked fields.');
    try {
      await send(result.body);
    } catch (error) {
      if (error instanceof FleetError) setErrors(toDraftErrors(error.fields));
      throw error;
    }
  }

  return { fields, submit };
}
