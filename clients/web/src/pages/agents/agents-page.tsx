import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { useAgentActions } from '../../agents/agent-actions.tsx';
import { CreateAgentDialog } from '../../agents/edit-agent.tsx';
import { fleet } from '../../api/fleet.ts';
import { may } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Pager } from '../../components/pager.tsx';
import { useAddress } from '../../frame/address.ts';
import { Page } from '../../frame/page.tsx';
import { toAgentsQuery } from '../../requests/agents.ts';
import { AgentFilters } from './agent-filters.tsx';
import { AgentTable } from './agent-table.tsx';
import { EmptyAgents } from './empty-agents.tsx';
import { useAgentList } from './use-agent-list.ts';

const MAX_SKELETON_ROWS = 15;

export function AgentsPage() {
  const address = useAddress();
  const { route } = useLocation();
  const [isCreating, setCreating] = useState(false);
  const query = toAgentsQuery(address.query);
  const list = useAgentList(query);
  const stats = useQuery('stats', (signal) => fleet.get('/stats', { signal }).then(({ data }) => data), {
    minIntervalMs: 2_000,
    reloadOn: ({ type }) => type.startsWith('agent.'),
  });
  const types = stats.data && Object.keys(stats.data.agents.by_type);
  const mayWrite = may('agents:write');
  const actions = useAgentActions({
    types,
    onChanged() {
      list.reload();
      stats.reload();
    },
  });
  const { rows, total, nextSkip } = list.data ?? {};
  const isEmpty = rows?.length === 0 && !list.isStale;

  return (
    <Page
      title="Agents"
      isReady={list.data !== undefined || list.error !== undefined}
      actions={
        mayWrite && (
          <Button kind="primary" onClick={() => setCreating(true)}>
            Create agent
          </Button>
        )
      }
    >
      <div class="stack">
        <AgentFilters address={address} query={query} stats={stats.data} />
        {list.error !== undefined && (list.isStale || !list.data) && (
          <ErrorNotice title="The agents could not be loaded" error={list.error} onRetry={list.reload} />
        )}
        {isEmpty ? (
          <EmptyAgents
            query={query}
            total={total}
            types={types}
            onCreate={mayWrite ? () => setCreating(true) : undefined}
          />
        ) : (
          <AgentTable
            rows={rows}
            expectedRows={Math.min(query.limit, MAX_SKELETON_ROWS)}
            isStale={list.isStale && rows !== undefined}
            onChoose={mayWrite ? actions.start : undefined}
          />
        )}
        {total !== 0 && (
          <Pager
            skip={query.skip}
            limit={query.limit}
            total={total}
            hrefOf={(skip) => address.hrefOf({ skip: toText(skip > query.skip ? (nextSkip ?? skip) : skip) })}
          />
        )}
      </div>
      {actions.dialog}
      {isCreating && (
        <CreateAgentDialog
          types={types}
          typesQuery={stats}
          onCreated={({ id }) => route(`/console/agents/${id}`)}
          onClose={() => setCreating(false)}
        />
      )}
    </Page>
  );
}

function toText(skip: number): string | undefined {
  return skip === 0 ? undefined : String(skip);
}
