import { createAgentCommand } from '../../agents/commands.tsx';
import { Button, LinkButton } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import type { AgentsQuery } from '../../requests/agents.ts';

interface EmptyAgentsProps {
  query: AgentsQuery;
  /** How many match: of all pages. */
  total: number | undefined;
  types: readonly string[] | undefined;
  /** Undefined for those who may not. */
  onCreate: (() => void) | undefined;
}

/** Why there are no rows, and what to do first. */
export function EmptyAgents({ query, total, types, onCreate }: EmptyAgentsProps) {
  if (total) return <EmptyState title="No agents on this page" />;
  if (query.status || query.type || query.paused !== undefined || query.skip > 0) {
    return (
      <EmptyState
        title="No agents match these filters"
        actions={<LinkButton href="/console/agents">Show all agents</LinkButton>}
      />
    );
  }
  return (
    <EmptyState
      title="No agents yet"
      actions={
        onCreate && (
          <Button kind="primary" onClick={onCreate}>
            Create agent
          </Button>
        )
      }
    >
      <div class="stack-tight">
        <p>An agent is a queue of tasks for workers to take. Create one here or from the command line.</p>
        {onCreate && <CommandLine command={createAgentCommand(types?.[0] ?? 'claude')} label="the command" />}
      </div>
    </EmptyState>
  );
}
