import type { components } from '@agent-fleet/sdk';
import type { AgentName } from '../../agents/agent-names.ts';
import { may } from '../../api/session.ts';
import { Button, LinkButton } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import type { TaskFilter } from '../../requests/tasks.ts';

interface EmptyTasksProps {
  filter: TaskFilter;
  /** How many match: of all pages. */
  total: number | undefined;
  firstHref: string;
  stats: components['schemas']['Stats'] | undefined;
  agents: readonly AgentName[] | undefined;
  onCreate: () => void;
}

/** Why there are no rows, and what to do first. */
export function EmptyTasks({ filter, total, firstHref, stats, agents, onCreate }: EmptyTasksProps) {
  if (total) {
    return (
      <EmptyState
        title="No tasks on this page"
        actions={<LinkButton href={firstHref}>Go to the first page</LinkButton>}
      />
    );
  }
  if (Object.keys(filter).length > 0) {
    return (
      <EmptyState
        title="No tasks match these filters"
        actions={<LinkButton href="/console/tasks">Clear filters</LinkButton>}
      >
        Values must match exactly. Ended tasks are deleted after a while.
      </EmptyState>
    );
  }
  if (stats?.agents.total === 0) {
    return (
      <EmptyState
        title="Create an agent first"
        actions={
          <LinkButton kind="primary" href="/console/agents">
            Go to the agents
          </LinkButton>
        }
      >
        A task belongs to an agent. Workers take the tasks of the agents of their type.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No tasks yet"
      actions={
        may('tasks:write') && (
          <Button kind="primary" onClick={onCreate}>
            Create task
          </Button>
        )
      }
    >
      <div class="stack-tight">
        <p>Give an agent something to do, here or from the command line.</p>
        <CommandLine command={addCommand(agents?.[0])} label="the command" />
      </div>
    </EmptyState>
  );
}

/** A name may have characters that a shell, or a reader, takes for something else; an id has not. */
function addCommand(agent: AgentName | undefined): string {
  const isPlain = agent !== undefined && /^[\p{L}\p{N} ._-]{1,40}$/u.test(agent.name) && !agent.name.startsWith('-');
  const name = agent === undefined ? 'Agent' : isPlain ? agent.name : agent.id;
  return `npx fleet tasks add '${name}' 'Write the release notes' --url ${location.origin}`;
}
