import { type Agent, FleetError } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso/router';
import { useSeries } from '../../activity/series.tsx';
import { type Pause, readPause, useAgentActions } from '../../agents/agent-actions.tsx';
import { fleet } from '../../api/fleet.ts';
import { useLive } from '../../api/live.ts';
import { may } from '../../api/session.ts';
import { useQuery } from '../../api/use-query.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Breadcrumb, NotFound, Page } from '../../frame/page.tsx';
import { NewTaskDialog } from '../../tasks/task-form.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { AgentButtons, AgentFacts, PauseNotice } from './agent-header.tsx';
import { AgentParts } from './agent-parts.tsx';
import { useAgentTasks } from './agent-tasks.tsx';
import './agent.css';

export function AgentPage() {
  const { agentId = '' } = useRoute().params;
  return <AgentOf key={agentId} agentId={agentId} />;
}

function AgentOf({ agentId }: { agentId: string }) {
  const state = useAgent(agentId);
  const isMissing = state.error instanceof FleetError && state.error.status === 404;
  if (!isMissing && !state.isDeleted) return <AgentDetails agentId={agentId} state={state} />;
  const title = state.isDeleted ? 'Agent deleted' : 'Agent not found';
  return <NotFound title={title} href="/console/agents" label="Go to the agents" />;
}

interface AgentState {
  /** Undefined until both have been read. */
  data: { agent: Agent; pause: Pause | null } | undefined;
  error: unknown;
  /** Whether it was deleted while it was shown. */
  isDeleted: boolean;
  reload: () => void;
}

/** An agent and its pause, kept up to date. */
function useAgent(agentId: string): AgentState {
  const [isDeleted, setDeleted] = useState(false);
  useLive((events) => {
    if (events.some(({ type, agent_id }) => type === 'agent.deleted' && agent_id === agentId)) setDeleted(true);
  });
  const { data, error, reload } = useQuery(
    isDeleted ? null : agentId,
    async (signal) => {
      const [agent, pause] = await Promise.all([
        fleet.get('/agents/{agent_id}', { params: { path: { agent_id: agentId } }, signal }),
        readPause(agentId, signal),
      ]);
      return { agent: agent.data, pause };
    },
    {
      everyMs: 30_000,
      reloadOn: ({ type, agent_id }) => agent_id === agentId && type.startsWith('agent.') && type !== 'agent.deleted',
    },
  );
  return { data, error, isDeleted, reload };
}

const CRUMBS = [{ label: 'Agents', href: '/console/agents' }];

function AgentDetails({ agentId, state }: { agentId: string; state: AgentState }) {
  const { route } = useLocation();
  const { dialog, open } = useDialog();
  const addTask = () => open((close) => <NewTaskDialog agentId={agentId} onClose={close} />);
  const { agent, pause } = state.data ?? {};
  const series = useSeries(agentId);
  const tasks = useAgentTasks(agentId);
  const actions = useAgentActions(state.reload, () => route('/console/agents'));
  const isReady =
    agent !== undefined &&
    (series.hasData || series.error !== undefined) &&
    (tasks.list.data ?? tasks.list.error) !== undefined;

  return (
    <Page
      title={agent ? safeLine(agent.name) : 'Agent'}
      above={<Breadcrumb crumbs={CRUMBS} />}
      isReady={isReady || state.error !== undefined}
      badges={
        agent && (
          <>
            <StatusBadge status={agent.status} />
            {pause && <Badge tone="warn">paused</Badge>}
          </>
        )
      }
      actions={
        <AgentButtons
          isPaused={Boolean(pause)}
          isDisabled={!agent}
          onAdd={addTask}
          onChoose={(action) => agent && actions.start(action, agent)}
        />
      }
    >
      {state.error !== undefined && !state.data && (
        <ErrorNotice title="The agent could not be loaded" error={state.error} onRetry={state.reload} />
      )}
      {agent ? (
        <>
          {pause && (
            <PauseNotice
              pause={pause}
              onResume={may('agents:write') ? () => actions.start('resume', agent) : undefined}
            />
          )}
          <AgentFacts agent={agent} />
          <AgentParts
            agent={agent}
            tasks={tasks}
            series={series}
            isReady={isReady}
            onAdd={may('tasks:write') ? addTask : undefined}
          />
        </>
      ) : (
        state.error === undefined && <Skeleton height="40rem" />
      )}
      {actions.dialog}
      {dialog}
    </Page>
  );
}
