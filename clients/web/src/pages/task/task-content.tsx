import { useRef } from 'preact/hooks';
import { Panel } from '../../components/panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { JsonView } from '../../json/json-view.tsx';
import { AttemptTimeline } from '../../plots/attempt-timeline.tsx';
import { LongText } from '../../text/long-text.tsx';
import type { AgentName } from '../tasks/agent-names.ts';
import { isEnded } from '../tasks/task-rows.ts';
import { LogPanel } from './log/log-panel.tsx';
import { PartError } from './part-error.tsx';
import { TaskFacts } from './task-facts.tsx';
import type { TaskKey } from './task-key.ts';
import { TaskState } from './task-state.tsx';
import type { TaskRecord } from './use-record.ts';
import type { TaskData } from './use-task.ts';

interface TaskContentProps {
  task: TaskData;
  record: TaskRecord;
  agent: AgentName | undefined;
  taskKey: TaskKey;
}

/** The result is first where it is already there, and last where it comes while one looks: nothing moves then. */
export function TaskContent({ task, record, agent, taskKey }: TaskContentProps) {
  const wasEnded = useRef(isEnded(record.status)).current;
  const { whole, attempts, isGone } = task;
  const hasResult = whole.data !== undefined && isEnded(whole.data.status);
  const result = isEnded(record.status) && (
    <Payload
      title="Result"
      task={task}
      isKnown={hasResult}
      name="result"
      isOptional={record.status !== 'completed' && (hasResult || whole.error === undefined)}
    />
  );
  const log = <LogPanel task={taskKey} isEnded={isGone || isEnded(record.status)} />;
  return (
    <div class="task-layout">
      <div class="stack">
        <TaskState record={record} waiting={task.waiting} type={agent?.type} />
        <Panel title="Message">
          <LongText text={record.message} />
        </Panel>
        {wasEnded && result}
        <Payload title="Input" task={task} isKnown={whole.data !== undefined} name="input" />
        <Panel title="Attempts">
          {!attempts.data && (isGone || attempts.error !== undefined) ? (
            <PartError what="The attempts" query={attempts} isGone={isGone} />
          ) : (
            <AttemptTimeline task={record} attempts={attempts.data} />
          )}
        </Panel>
        {log}
        {!wasEnded && result}
      </div>
      <div class="stack">
        <Panel title="Details">
          <TaskFacts record={record} agent={agent} />
        </Panel>
        <Payload title="Metadata" task={task} isKnown={whole.data !== undefined} name="metadata" isOptional />
      </div>
    </div>
  );
}

interface PayloadProps {
  title: string;
  task: TaskData;
  /** Whether it has come. */
  isKnown: boolean;
  name: 'input' | 'result' | 'metadata';
  /** Whether it is left out when there is none. */
  isOptional?: boolean;
}

function Payload({ title, task: { whole, isGone }, isKnown, name, isOptional }: PayloadProps) {
  const isMissing = !isKnown && (isGone || whole.error !== undefined);
  const value = isKnown ? whole.data?.[name] : undefined;
  if (isOptional && (value ?? null) === null) return null;
  return (
    <Panel title={title}>
      {isMissing && <PartError what={`The ${name}`} query={whole} isGone={isGone} />}
      {!isKnown && !isMissing && <SkeletonLines lines={2} />}
      {value === null && <p class="muted">None</p>}
      {value !== undefined && value !== null && (
        <div class="payload">
          <JsonView value={value} label={name} />
        </div>
      )}
    </Panel>
  );
}

export function TaskSkeleton() {
  return (
    <div class="task-layout">
      <div class="stack">
        <div class="task-state">
          <SkeletonLines lines={2} />
        </div>
        <Panel title="Message">
          <SkeletonLines lines={1} />
        </Panel>
        <Panel title="Input">
          <SkeletonLines lines={4} />
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
