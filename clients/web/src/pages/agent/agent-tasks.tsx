import { addTaskCommand } from '../../agents/commands.tsx';
import { Button } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { agentTasksQuery } from '../../requests/agents.ts';
import { DurationCell, MessageCell, StatusCell } from '../../tasks/task-cells.tsx';
import { type TaskList, useHold, useTaskList } from '../../tasks/task-list.ts';
import type { TaskRow } from '../../tasks/task-rows.ts';
import { count, plural } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';

const EXPECTED_ROWS = 12;

const COLUMNS: readonly Column<TaskRow>[] = [
  { key: 'message', title: 'Task', isMain: true, cell: (row) => <MessageCell row={row} agent={undefined} /> },
  { key: 'status', title: 'Status', cell: (row) => <StatusCell row={row} /> },
  {
    key: 'attempts',
    title: 'Attempts',
    isWideOnly: true,
    isNumber: true,
    cell: ({ attempt, max_attempts }) => `${attempt}/${max_attempts}`,
  },
  { key: 'duration', title: 'Duration', isWideOnly: true, isNumber: true, cell: (row) => <DurationCell row={row} /> },
  {
    key: 'created',
    title: 'Created',
    isWideOnly: true,
    isNumber: true,
    cell: ({ created_at }) => <RelativeTime at={created_at} />,
  },
];

export type AgentTaskList = TaskList & { handlers: ReturnType<typeof useHold>['handlers'] };

/** The newest tasks of an agent; they do not move under the pointer. */
export function useAgentTasks(agentId: string): AgentTaskList {
  const { isHeld, handlers } = useHold();
  return { ...useTaskList(agentTasksQuery(agentId), isHeld), handlers };
}

interface AgentTasksProps {
  agentId: string;
  list: AgentTaskList;
  /** Undefined for those who may not. */
  onAdd: (() => void) | undefined;
}

export function AgentTasks({ agentId, list, onAdd }: AgentTasksProps) {
  const { rows, total, waiting, error, reload, show, handlers } = list;
  const allHref = `/console/tasks?agent_id=${agentId}`;
  return (
    <Panel
      title="Newest tasks"
      isFlush
      actions={
        <>
          {waiting > 0 && (
            <Button isSmall onClick={show}>
              {plural(waiting, 'new task')} · Show
            </Button>
          )}
          <a href={allHref}>{total === undefined ? 'All tasks' : `All ${count(total)}`}</a>
        </>
      }
    >
      {error !== undefined && !rows && (
        <ErrorNotice title="The tasks could not be loaded" error={error} onRetry={reload} />
      )}
      {rows?.length === 0 ? (
        <EmptyState
          title="No tasks yet"
          actions={
            onAdd && (
              <Button kind="primary" onClick={onAdd}>
                Create task
              </Button>
            )
          }
        >
          <CommandLine command={addTaskCommand(agentId)} label="the command" />
        </EmptyState>
      ) : (
        <div class="task-list" {...handlers}>
          <Table
            label="Tasks of this agent"
            columns={COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            expectedRows={EXPECTED_ROWS}
          />
        </div>
      )}
    </Panel>
  );
}
