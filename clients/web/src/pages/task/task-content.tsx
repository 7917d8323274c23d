import type { Task } from '@agent-fleet/sdk';
import type { AgentName } from '../../agents/agent-names.ts';
import { Panel } from '../../components/panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { AttemptTimeline } from '../../plots/attempt-timeline.tsx';
import { isEnded } from '../../tasks/task-rows.ts';
import { Conversation } from './log/conversation.tsx';
import { PartError, Payload } from './payload.tsx';
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
        <Panel title="Attempts">
          {!attempts.data && (isGone || attempts.error !== undefined) ? (
            <PartError what="The attempts" query={attempts} isGone={isGone} />
          ) : (
            <AttemptTimeline task={record} attempts={attempts.data} />
          )}
        </Panel>
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

export function TaskSkeleton() {
  return (
    <div class="task-layout">
      <div class="stack">
        <div class="stack task-state">
          <SkeletonLines lines={2} />
        </div>
        <Panel title="Conversation">
          <SkeletonLines lines={8} />
        </Panel>
        <Panel title="Attempts">
          <SkeletonLines lines={3} />
        </Panel>
      </div>
      <Panel title="Details">
        <SkeletonLines lines={10} />
      </Panel>
    </div>
  );
}
