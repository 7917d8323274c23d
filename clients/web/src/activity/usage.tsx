import type { components } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { agentLabel, useAgentNames } from '../agents/agent-names.ts';
import { useGet } from '../api/use-get.ts';
import { Panel } from '../components/panel.tsx';
import { type Column, RowLink, Table } from '../components/table.tsx';
import { compact, count, dollars } from '../text/numbers.ts';
import { safeLine } from '../text/safe-text.ts';
import './activity.css';

const SHOWN = 5;

/** What all tasks have used, and by which models and agents; nothing before the first one has reported it. */
export function FleetUsage({ usage: { total, by_model, by_agent } }: { usage: components['schemas']['FleetUsage'] }) {
  const agents = by_agent.slice(0, SHOWN);
  const names = useAgentNames(agents.map(({ agent_id }) => agent_id));
  if (total.attempts === 0) return null;
  return (
    <Panel
      title="Usage"
      isFlush
      actions={
        <span class="number muted">
          {compact(total.input_tokens + total.output_tokens)} tokens, {dollars(total.cost.amount)}
        </span>
      }
    >
      <div class="usage-tables">
        <SpentTable
          title="Model"
          rows={by_model.slice(0, SHOWN)}
          rowKey={({ model }) => model}
          name={({ model }) => safeLine(model)}
        />
        <SpentTable
          title="Agent"
          rows={agents}
          rowKey={({ agent_id }) => agent_id}
          name={({ agent_id: id }) => <RowLink href={`/console/agents/${id}`}>{agentLabel(id, names.get(id))}</RowLink>}
        />
      </div>
    </Panel>
  );
}

/** The events that end an attempt. */
const ENDS = /^task\.(released|retry|completed|failed|cancelled)$/;

/** What the tasks of an agent have used; nothing before the first one has reported it. */
export function AgentUsage({ agentId, isWanted }: { agentId: string; isWanted: boolean }) {
  const { data } = useGet('/agents/{agent_id}/usage', isWanted ? { path: { agent_id: agentId } } : null, {
    minIntervalMs: 5_000,
    reloadOn: ({ type, agent_id }) => agent_id === agentId && ENDS.test(type),
  });
  if (!data?.total.attempts) return null;
  const rows = data.by_model.length > 1 ? [...data.by_model, { ...data.total, model: '' }] : data.by_model;
  return (
    <Panel title="Usage" isFlush>
      <SpentTable
        title="Model"
        rows={rows}
        rowKey={({ model }) => model}
        name={({ model }) => (model === '' ? <strong>All models</strong> : safeLine(model))}
      />
    </Panel>
  );
}

type Spent = components['schemas']['Spent'];

interface SpentTableProps<Row> {
  /** Of what spends, such as "Model". */
  title: string;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  name: (row: Row) => ComponentChildren;
}

/** Tokens and cost. */
function SpentTable<Row extends Spent>({ title, rows, rowKey, name }: SpentTableProps<Row>) {
  const cost = rows.some((row) => row.cost.estimated) ? 'Cost (estimated)' : 'Cost';
  const columns: Column<Row>[] = [
    { title, isMain: true, cell: name },
    { title: 'Attempts', isNumber: true, isWideOnly: true, cell: ({ attempts }) => count(attempts) },
    { title: 'Tokens in', isNumber: true, isWideOnly: true, cell: (row) => compact(row.input_tokens) },
    { title: 'Tokens out', isNumber: true, isWideOnly: true, cell: (row) => compact(row.output_tokens) },
    { title: cost, isNumber: true, cell: (row) => dollars(row.cost.amount) },
  ];
  return <Table label={`Usage by ${title.toLowerCase()}`} columns={columns} rows={rows} rowKey={rowKey} />;
}
