import type { Task } from '@agent-fleet/sdk';
import type { AgentName } from '../../agents/agent-names.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { useDefinition, useVersion } from '../../definitions/definition.ts';
import { DefinitionChanges } from '../../definitions/definition-texts.tsx';
import { AttemptTimeline } from '../../plots/attempt-timeline.tsx';
import { isEnded } from '../../tasks/task-rows.ts';
import { Conversation } from './log/conversation.tsx';
import { Payload } from './payload.tsx';
import { TaskFacts, TaskUsage } from './task-facts.tsx';
import { TaskGraph } from './task-graph.tsx';
import { TaskResult } from './task-result.tsx';
import { TaskState } from './task-state.tsx';
import type { TaskData } from './use-task.ts';
import './task.css';

/** What is different today from the version of the agent that the task has; nothing where it is the same. */
function VersionChanges({ agentId, version }: { agentId: string; version: number }) {
  const { data: current } = useDefinition(agentId);
  const isOld = Boolean(current && current.version !== version);
  const { data: own } = useVersion(agentId, isOld ? version : undefined);
  if (!current || !isOld || !own) return null;
  return (
    <Panel title={`Changed in version ${current.version}`} isFlush>
      <DefinitionChanges before={own} after={current} />
    </Panel>
  );
}

interface TaskContentProps {
  task: TaskData;
  record: Task;
  agent: AgentName | undefined;
}

export function TaskContent({ task, record, agent }: TaskContentProps) {
  const { attempts, isGone } = task;
  return (
    <div class="task-layout">
      <div class="stack">
        <TaskState record={record} waiting={task.waiting} type={agent?.type} attempts={attempts.data} />
        <Conversation task={task} record={record} attempts={attempts.data ?? []} />
        {isEnded(record.status) && <TaskResult task={record} />}
        {!isGone && <TaskGraph path={{ agent_id: record.agent_id, task_id: record.id }} />}
        <Payload title="Input" value={record.input} />
        {!attempts.data && attempts.error !== undefined && !isGone && (
          <ErrorNotice title="The attempts could not be loaded" error={attempts.error} onRetry={attempts.reload} />
        )}
        {(attempts.data || (attempts.error === undefined && !isGone)) && (
          <Panel title="Attempts">
            <AttemptTimeline task={record} attempts={attempts.data} />
          </Panel>
        )}
      </div>
      <div class="stack">
        <TaskUsage record={record} />
        <Panel title="Details">
          <TaskFacts record={record} agent={agent} />
        </Panel>
        {record.agent_version != null && <VersionChanges agentId={record.agent_id} version={record.agent_version} />}
        <Payload title="Metadata" value={record.metadata} />
        <Payload title="Output schema" value={record.output_schema} />
      </div>
    </div>
  );
}
