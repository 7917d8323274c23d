import type { Agent } from '@agent-fleet/sdk';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { workerCommand } from '../agents/commands.tsx';
import { fleet } from '../api/fleet.ts';
import { useGet } from '../api/use-get.ts';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/copy.tsx';
import { Dialog } from '../components/dialog.tsx';
import { SelectField, TextField, toOption } from '../components/field.tsx';
import { ErrorNotice, FormError, Notice } from '../components/notice.tsx';
import { useFields, useSubmit } from '../components/use-form.ts';
import { NewTaskDialog } from '../tasks/task-form.tsx';
import { safeLine } from '../text/safe-text.ts';
import { useTyped } from '../text/use-typed.ts';
import { toDraft } from './definition-fields.ts';
import { DefinitionFields } from './definition-form.tsx';
import { saveDefinition } from './edit-definition.tsx';

const STEPS = ['Name and type', 'What it is', 'A worker for it'];

/** Creates an agent in three steps: its name, what it is, and the worker that takes its tasks. */
export function CreateAgentDialog({ onClose }: { onClose: () => void }) {
  const { route } = useLocation();
  const [step, setStep] = useState(0);
  const [agent, setAgent] = useState<Agent>();
  const [isAdding, setAdding] = useState(false);
  const { data: stats, error: statsError, reload } = useGet('/stats', {});
  const types = stats && Object.keys(stats.agents.by_type);
  const [settled, setSettled] = useState('');
  const { text: name, type: setName } = useTyped(settled, setSettled, '', 300);
  const [chosen, setType] = useState('');
  const type = chosen || types?.[0] || '';
  const fields = useFields(toDraft(null));
  const { runtime = '' } = fields.values;
  const isDefined = Object.values(fields.values).some(Boolean);

  const { error, isBusy, submit } = useSubmit(async () => {
    if (step === 0) return setStep(1);
    // A definition that was refused is corrected; its agent is there then.
    const created = agent ?? (await fleet.post('/agents', { body: { name, type } })).data;
    setAgent(created);
    if (isDefined) await saveDefinition(created.id, fields, null);
    setStep(2);
  });

  // Each step is read from its beginning.
  const heading = useRef<HTMLParagraphElement>(null);
  useEffect(() => void (step > 0 && heading.current?.focus()), [step]);

  const goToAgent = () => {
    onClose();
    if (agent) route(`/console/agents/${agent.id}`);
  };
  if (agent && isAdding) return <NewTaskDialog agentId={agent.id} onClose={goToAgent} />;
  return (
    <Dialog title="Create agent" onClose={agent ? goToAgent : onClose} isSticky={step === 1}>
      <form class="stack" onSubmit={submit}>
        <p ref={heading} class="small muted" tabIndex={-1}>
          Step {step + 1} of {STEPS.length}: {STEPS[step]}
        </p>
        {step === 0 && (
          <>
            {statsError !== undefined && (
              <ErrorNotice title="The types could not be loaded" error={statsError} onRetry={reload} />
            )}
            <TextField label="Name" required maxLength={100} autofocus value={name} onInput={setName} />
            <Twin name={settled} />
            <SelectField label="Type" options={(types ?? []).map(toOption)} value={type} onInput={setType} />
            <DefinitionFields fields={fields} paths={['runtime']} />
          </>
        )}
        {step === 1 && <DefinitionFields fields={fields} paths={['instructions', 'model', 'skills']} />}
        {step === 2 && agent && <WorkerStep agent={agent} runtime={runtime} isDefined={isDefined} />}
        <FormError error={error} />
        <div class="row dialog-actions">
          {step < 2 && <Button onClick={agent ? goToAgent : onClose}>{agent ? 'Leave it so' : 'Cancel'}</Button>}
          {step === 1 && !agent && <Button onClick={() => setStep(0)}>Back</Button>}
          {step < 2 && (
            <Button type="submit" kind="primary" isBusy={isBusy} disabled={!type}>
              {step === 0 ? 'Next' : 'Create agent'}
            </Button>
          )}
          {step === 2 && <Button onClick={goToAgent}>Go to the agent</Button>}
          {step === 2 && (
            <Button kind="primary" onClick={() => setAdding(true)}>
              Create first task
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

/** Warns of an agent with the same name. */
function Twin({ name }: { name: string }) {
  const twins = useGet('/agents', name ? { query: { name, limit: 1 } } : null);
  if (twins.isStale || !twins.data?.[0]) return null;
  return <Notice tone="warn" title={`There is an agent “${safeLine(name)}” already`} />;
}

interface WorkerStepProps {
  agent: Agent;
  runtime: string;
  isDefined: boolean;
}

/** Whether a worker takes its tasks, and how to start one. */
function WorkerStep({ agent, runtime, isDefined }: WorkerStepProps) {
  const { data: workers } = useGet('/workers', { query: { limit: 100 } }, { everyMs: 3_000 });
  const worker = workers?.find(
    ({ polling, types, agent_ids, labels, accepts }) =>
      polling &&
      (types.includes(agent.type) || agent_ids.includes(agent.id)) &&
      (!runtime || labels.includes(`runtime:${runtime}`)) &&
      (!isDefined || accepts.includes('definitions')),
  );
  return (
    <>
      <p>
        <strong>{safeLine(agent.name)}</strong> is there. A worker does its tasks, on a machine of yours:
      </p>
      <CommandLine command={workerCommand(agent.type, undefined, runtime)} label="the command of a worker" />
      <p class={worker ? undefined : 'muted'} role="status">
        {worker ? `${safeLine(worker.worker_id)} is ready for its tasks.` : workers && 'No worker takes its tasks yet.'}
      </p>
    </>
  );
}
