import type { Agent } from '@agent-fleet/sdk';
import { AgentEvents } from '../../activity/event-panel.tsx';
import { StatsPlots, type useSeries, WindowButtons } from '../../activity/series.tsx';
import { AgentUsage } from '../../activity/usage.tsx';
import { may } from '../../api/session.ts';
import { Tabs } from '../../components/tabs.tsx';
import { useAddress } from '../../frame/address.ts';
import { type AgentTaskList, AgentTasks } from './agent-tasks.tsx';
import { DefinitionPart } from './definition-part.tsx';

const PLOT_HEIGHT = 120;
const PARTS = ['runs', 'definition', 'money'] as const;
const LABELS = { runs: 'Runs', definition: 'Definition', money: 'Money' };

interface AgentPartsProps {
  agent: Agent;
  tasks: AgentTaskList;
  series: ReturnType<typeof useSeries>;
  /** Whether what the page shows first is there. */
  isReady: boolean;
  onAdd: (() => void) | undefined;
}

/** The runs of an agent, its definition and its money, each at an address. */
export function AgentParts(props: AgentPartsProps) {
  const { query, hrefOf } = useAddress();
  const { agent } = props;
  const part = PARTS.find((one) => one === query.get('part')) ?? 'runs';
  const hrefOfPart = (one: string) =>
    hrefOf({ part: one === 'runs' ? undefined : one, version: undefined, with: undefined, skip: undefined });
  return (
    <>
      <Tabs
        label="Parts of the agent"
        tabs={PARTS.map((one) => ({ label: LABELS[one], href: hrefOfPart(one), isCurrent: one === part }))}
      />
      {part === 'runs' && <Runs {...props} />}
      {part === 'definition' && <DefinitionPart agent={agent} />}
      {part === 'money' && <AgentUsage agentId={agent.id} isWanted />}
    </>
  );
}

function Runs({ agent, tasks, series, isReady, onAdd }: AgentPartsProps) {
  return (
    <div class="agent-columns">
      <div class="stack">
        <AgentTasks agentId={agent.id} tasks={tasks} onAdd={onAdd} />
        {may('events:read') && <AgentEvents agentId={agent.id} isWanted={isReady} />}
      </div>
      <section class="stack agent-plots" aria-label="Activity">
        <WindowButtons />
        <StatsPlots series={series} height={PLOT_HEIGHT} />
      </section>
    </div>
  );
}
