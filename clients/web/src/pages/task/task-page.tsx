import { useRoute } from 'preact-iso/router';
import { type AgentName, agentLabel } from '../../agents/agent-names.ts';
import { may } from '../../api/session.ts';
import { useGet } from '../../api/use-get.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { LinkButton } from '../../components/button.tsx';
import { CopyButton } from '../../components/copy.tsx';
import { ErrorNotice, Notice } from '../../components/notice.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Breadcrumb, NotFound, Page } from '../../frame/page.tsx';
import { firstLine } from '../../tasks/task-cells.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { TaskActions } from './task-actions.tsx';
import { TaskContent } from './task-content.tsx';
import type { TaskPath } from './task-record.ts';
import { useTask } from './use-task.ts';

export function TaskPage() {
  const { agentId = '', taskId = '' } = useRoute().params;
  return <TaskOf key={taskId} agent_id={agentId} task_id={taskId} />;
}

function TaskOf(key: TaskPath) {
  const task = useTask(key);
  const agent = useAgent(key.agent_id);
  const { record, isGone } = task;
  if (!record && isGone) return <NotFound title="Task not found" href="/console/tasks" label="Go to the tasks" />;
  const crumbs = [
    { label: 'Tasks', href: '/console/tasks' },
    { label: agentLabel(key.agent_id, agent), href: `/console/agents/${key.agent_id}` },
  ];
  return (
    <Page
      title={record ? firstLine(record.message) : 'Task'}
      above={<Breadcrumb crumbs={crumbs} />}
      badges={
        <>
          {record && <StatusBadge status={isGone ? 'deleted' : record.status} />}
          <TaskId id={key.task_id} />
        </>
      }
      actions={record && !isGone && may('tasks:write') && <TaskActions record={record} onDone={task.reload} />}
      isReady={record !== undefined || task.error !== undefined}
    >
      {task.error !== undefined && (
        <ErrorNotice
          title={record ? 'The task could not be brought up to date' : 'The task could not be loaded'}
          error={task.error}
          onRetry={task.reload}
        />
      )}
      {isGone && (
        <Notice
          tone="warn"
          title="This task was deleted"
          actions={<LinkButton href="/console/tasks">Go to the tasks</LinkButton>}
        >
          This page shows its last known state.
        </Notice>
      )}
      {record && <TaskContent task={task} record={record} agent={agent} />}
      {!record && task.error === undefined && <Skeleton height="40rem" />}
    </Page>
  );
}

function TaskId({ id }: { id: string }) {
  return (
    <span class="row">
      <span class="mono small muted">{safeLine(id)}</span>
      <CopyButton text={id} what="the id of the task" />
    </span>
  );
}

/** Undefined while it is on its way. */
function useAgent(agentId: string): AgentName | undefined {
  return useGet(
    '/agents/{agent_id}',
    { path: { agent_id: agentId } },
    {
      reloadOn: ({ agent_id, type }) => agent_id === agentId && type === 'agent.replaced',
    },
  ).data;
}
