import { fleet } from '../../api/fleet.ts';
import { useQuery } from '../../api/use-query.ts';
import { Panel } from '../../components/panel.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { SpentTable } from '../usage/spent-table.tsx';

/** The events that end an attempt. */
const ENDS = /^task\.(released|retry|completed|failed|cancelled)$/;

/** What the tasks of an agent have used; nothing before the first one has reported it. */
export function AgentUsage({ agentId, isWanted }: { agentId: string; isWanted: boolean }) {
  const { data } = useQuery(
    isWanted ? `usage of ${agentId}` : null,
    async (signal) =>
      (await fleet.get('/agents/{agent_id}/usage', { params: { path: { agent_id: agentId } }, signal })).data,
    { minIntervalMs: 5_000, reloadOn: ({ type, agent_id }) => agent_id === agentId && ENDS.test(type) },
  );
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
