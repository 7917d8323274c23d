import type { Task } from '@agent-fleet/sdk';
import type { AgentName } from '../../agents/agent-names.ts';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { AttemptTimeline } from '../../plots/attempt-timeline.tsx';
import { isEnded } from '../../tasks/task-rows.ts';
import { Conversation } from './log/conversation.tsx';
import { Payload } from './payload.tsx';
import { TaskFacts, TaskUsage } from './task-facts.tsx';
import { TaskResult } from './task-result.tsx';
import { TaskState } from './task-state.tsx';
import type { TaskData } from './use-task.ts';
import './task.css';

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
        <Payload title="Metadata" value={record.metadata} />
        <Payload title="Output schema" value={record.output_schema} />
      </div>
    </div>
  );
}
