import type { components } from '@agent-fleet/sdk';
import { Panel } from '../../components/panel.tsx';
import { RowLink } from '../../components/table.tsx';
import { compact } from '../../text/numbers.ts';
import { safeLine } from '../../text/safe-text.ts';
import { costText } from '../../text/spent.ts';
import { agentLabel } from '../agents/agent-label.ts';
import { useAgentNames } from '../tasks/agent-names.ts';
import { SpentTable } from '../usage/spent-table.tsx';

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
          {compact(total.input_tokens + total.output_tokens)} tokens, {costText(total.cost)}
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
