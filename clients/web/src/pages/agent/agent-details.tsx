import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { may } from '../../api/session.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Breadcrumb, Page } from '../../frame/page.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { useAgentActions } from '../agents/use-agent-actions.tsx';
import { StatsPlots } from '../overview/stats-plots.tsx';
import { useSeries } from '../overview/use-series.ts';
import { WindowButtons } from '../overview/window-buttons.tsx';
import { NewTaskDialog } from '../tasks/new-task-dialog.tsx';
import { AgentButtons } from './agent-buttons.tsx';
import { AgentEvents } from './agent-events.tsx';
import { AgentFacts } from './agent-facts.tsx';
import { AgentTasks, useAgentTasks } from './agent-tasks.tsx';
import { AgentUsage } from './agent-usage.tsx';
import { PauseNotice } from './pause-notice.tsx';
import type { AgentState } from './use-agent.ts';
import { useTypes } from './use-types.ts';

const PLOT_HEIGHT = 120;
const CRUMBS = [{ label: 'Agents', href: '/console/agents' }];

export function AgentDetails({ agentId, state }: { agentId: string; state: AgentState }) {
  const { route } = useLocation();
  const [isAdding, setAdding] = useState(false);
  const { agent, pause } = state.data ?? {};
  const series = useSeries(agentId);
  const tasks = useAgentTasks(agentId);
  const types = useTypes(agent !== undefined);
  const actions = useAgentActions({ types, onChanged: state.reload, onDeleted: () => route('/console/agents') });
  const isReady =
    agent !== undefined &&
    (series.hasData || series.error !== undefined) &&
    (tasks.rows !== undefined || tasks.error !== undefined);

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
          onAdd={() => setAdding(true)}
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
          <div class="agent-columns">
            <div class="stack">
              <AgentTasks
                agentId={agentId}
                list={tasks}
                onAdd={may('tasks:write') ? () => setAdding(true) : undefined}
              />
              <AgentUsage agentId={agentId} isWanted={isReady} />
              {may('events:read') && <AgentEvents agentId={agentId} isWanted={isReady} />}
            </div>
            <section class="agent-plots" aria-label="Activity">
              <WindowButtons />
              <StatsPlots series={series} height={PLOT_HEIGHT} />
            </section>
          </div>
        </>
      ) : (
        state.error === undefined && <Skeleton height="40rem" />
      )}
      {actions.dialog}
      {isAdding && <NewTaskDialog agentId={agentId} onClose={() => setAdding(false)} />}
    </Page>
  );
}
