import type { Agent } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { AgentMenu, useAgentActions } from '../../agents/agent-actions.tsx';
import { createAgentCommand } from '../../agents/commands.tsx';
import { may } from '../../api/session.ts';
import { useGet } from '../../api/use-get.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { toOption } from '../../components/field.tsx';
import { actionsColumn, type Column, timeColumn } from '../../components/table.tsx';
import { CreateAgentDialog } from '../../definitions/create-agent.tsx';
import { useAddress } from '../../frame/address.ts';
import { Page } from '../../frame/page.tsx';
import { Filters, ORDER, StatusTabs } from '../../list/filters.tsx';
import { ListPart, NoRows } from '../../list/list-part.tsx';
import { useStatusCounts } from '../../list/status-counts.ts';
import { type List, useList } from '../../list/use-list.ts';
import { toAgentsQuery } from '../../requests/agents.ts';
import { plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { AGENT_STATUSES } from '../../text/statuses.ts';
import './agents.css';

type AgentRow = Agent & { paused_at: string | null };

const MAX_SKELETON_ROWS = 15;
const FILTERS = ['q', 'status', 'type', 'paused'];

const PAUSED = [
  { value: '', label: 'Paused or not' },
  { value: 'true', label: 'Paused' },
  { value: 'false', label: 'Not paused' },
];

const COLUMNS: readonly Column<AgentRow>[] = [
  {
    title: 'Name',
    isMain: true,
    href: ({ id }) => `/console/agents/${id}`,
    cell: ({ name }) => safeLine(name),
    narrow: ({ type, created_at }) => (
      <>
        {safeLine(type)} · <RelativeTime at={created_at} />
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, paused_at }) => (
      <span class="agent-status">
        <StatusBadge status={status} />
        {paused_at !== null && <Badge tone="warn">paused</Badge>}
      </span>
    ),
  },
  { title: 'Type', isWideOnly: true, cell: ({ type }) => safeLine(type) },
  timeColumn('Created', ({ created_at }) => created_at, { isWideOnly: true, isNumber: true }),
];

export function AgentsPage() {
  const { dialog, open } = useDialog();
  const query = toAgentsQuery(useAddress().query);
  const reloadOn = ({ type }: { type: string }) => type.startsWith('agent.');
  const list = useList('/agents', query, { everyMs: 15_000, minIntervalMs: 2_000, reloadOn }) as List<AgentRow>;
  const stats = useGet('/stats', {}, { minIntervalMs: 2_000, reloadOn });
  const { agents } = stats.data ?? {};
  const { status: _, order, skip, after, limit, fields, ...filter } = query;
  const isFiltered = Object.keys(filter).length > 0;
  const counted = isFiltered && list.data ? filter : undefined;
  const counts = useStatusCounts('/agents', counted, AGENT_STATUSES, query.q !== undefined);
  const types = agents && Object.keys(agents.by_type);
  const actions = useAgentActions(() => {
    list.reload();
    stats.reload();
  });
  const create = () => open((close) => <CreateAgentDialog onClose={close} />);
  const createButton = may('agents:write') && (
    <Button kind="primary" onClick={create}>
      Create agent
    </Button>
  );
  const menu = actionsColumn<AgentRow>((row) => (
    <AgentMenu agent={row} isPaused={row.paused_at !== null} onChoose={(action) => actions.start(action, row)} />
  ));

  return (
    <Page title="Agents" isReady={list.data !== undefined || list.error !== undefined} actions={createButton}>
      <div class="stack">
        <StatusTabs statuses={AGENT_STATUSES} counts={isFiltered ? counts : agents} />
        <Filters
          clears={FILTERS}
          filters={[
            { kind: 'search', name: 'q', label: 'Search agents' },
            {
              kind: 'select',
              name: 'type',
              label: 'Type',
              options: [{ value: '', label: 'All types' }, ...(types ?? []).map(toOption)],
            },
            { kind: 'select', name: 'paused', label: 'Paused', options: PAUSED },
            ORDER,
          ]}
        />
        <ListPart
          what="agents"
          label="Agents"
          list={list}
          columns={createButton ? [...COLUMNS, menu] : COLUMNS}
          rowKey={({ id }) => id}
          expectedRows={Math.min(query.limit, MAX_SKELETON_ROWS)}
          empty={
            list.data?.total || list.data?.next || FILTERS.some((name) => name in query) || query.skip ? (
              <NoRows what="agents" total={list.data?.total} isPartial={list.data?.next !== undefined} />
            ) : (
              <FirstAgent type={types?.[0]} createButton={createButton} />
            )
          }
          pager={{ limit: query.limit, isAlwaysShown: true, note: plural(list.data?.rows.length ?? 0, 'agent') }}
        />
      </div>
      {actions.dialog}
      {dialog}
    </Page>
  );
}

/** Without a button for those who may not create agents. */
function FirstAgent({ type = 'claude', createButton }: { type: string | undefined; createButton: ComponentChildren }) {
  return (
    <EmptyState title="No agents yet" actions={createButton}>
      <div class="stack-tight">
        <p>An agent has instructions, and tasks that workers take. Create one here or from the command line.</p>
        {createButton && <CommandLine command={createAgentCommand(type)} label="the command" />}
      </div>
    </EmptyState>
  );
}
