import type { AgentName } from '../../agents/agent-names.ts';
import { FLEET_URL } from '../../api/prefix.ts';
import { LinkButton } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { NoRows } from '../../list/list-part.tsx';
import { NoTasks } from '../../tasks/no-tasks.tsx';

interface EmptyTasksProps {
  isFiltered: boolean;
  /** How many match: of all pages. */
  total: number | undefined;
  isPartial: boolean;
  hasAgents: boolean;
  /** One of them. */
  agent: AgentName | undefined;
  /** Undefined for those who may not. */
  onCreate: (() => void) | undefined;
}

/** Why there are no rows, and what to do first. */
export function EmptyTasks({ isFiltered, total, isPartial, hasAgents, agent, onCreate }: EmptyTasksProps) {
  if (total || isFiltered) {
    return (
      <NoRows what="tasks" total={total} isPartial={isPartial}>
        Ended tasks are deleted after a while.
      </NoRows>
    );
  }
  if (!hasAgents) {
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
    <NoTasks onCreate={onCreate}>
      <div class="stack-tight">
        <p>Give an agent something to do, here or from the command line.</p>
        <CommandLine command={addCommand(agent)} label="the command" />
      </div>
    </NoTasks>
  );
}

/** A name may have characters that a shell, or a reader, takes for something else; an id has not. */
function addCommand(agent: AgentName | undefined): string {
  const isPlain = agent !== undefined && /^[\p{L}\p{N} ._-]{1,40}$/u.test(agent.name) && !agent.name.startsWith('-');
  const name = agent === undefined ? 'Agent' : isPlain ? agent.name : agent.id;
  return `npx fleet tasks add '${name}' 'Write the release notes' --url ${FLEET_URL}`;
}
