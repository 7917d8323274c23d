import type { ComponentChildren } from 'preact';
import { addTaskCommand, createAgentCommand, echoCommand, loginCommand } from '../../agents/commands.tsx';
import { may } from '../../api/session.ts';
import { Button, LinkButton } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { Panel } from '../../components/panel.tsx';
import { CreateAgentDialog } from '../../definitions/create-agent.tsx';

interface FirstStepsProps {
  types: readonly string[];
  hasAgents: boolean;
  hasWorkers: boolean;
}

/** What to do in a fleet that has had no task yet. */
export function FirstSteps({ types, hasAgents, hasWorkers }: FirstStepsProps) {
  const { dialog, open } = useDialog();
  const type = types[0] ?? 'claude';
  const create = () => open((close) => <CreateAgentDialog onClose={close} />);
  return (
    <Panel title="First steps">
      <ol class="stack steps">
        <Step title="Create an agent" isDone={hasAgents} command={createAgentCommand(type)}>
          An agent has a type, instructions, and tasks that workers take.
          {may('agents:write') && !hasAgents && (
            <Button kind="primary" isSmall onClick={create}>
              Create agent
            </Button>
          )}
        </Step>
        <Step title="Start a worker" isDone={hasWorkers} command={echoCommand(type)}>
          It takes tasks and runs a program for each. This one answers with the message of the task.
        </Step>
        <Step title="Create a task" isDone={false} command={addTaskCommand(`'My first agent'`)}>
          It is shown here while it waits and runs.
          {hasAgents && (
            <LinkButton href="/console/agents" isSmall>
              Choose an agent
            </LinkButton>
          )}
        </Step>
      </ol>
      <p class="small muted steps-note">
        Run the commands in a clone of this repository. On a machine that did not start the fleet, sign in first:{' '}
        <code>{loginCommand()}</code>
      </p>
      {dialog}
    </Panel>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  command: string;
  children: ComponentChildren;
}

function Step({ title, isDone, command, children }: StepProps) {
  return (
    <li class="step" data-done={isDone || undefined}>
      <div class="stack-tight">
        <h3>
          {title}
          {isDone && <span class="visually-hidden"> (done)</span>}
        </h3>
        <div class="row muted">{children}</div>
        {!isDone && <CommandLine command={command} label={`the command: ${title}`} />}
      </div>
    </li>
  );
}
