import { addTaskCommand } from '../../agents/commands.tsx';
import { Button } from '../../components/button.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { Panel } from '../../components/panel.tsx';
import { ListPart } from '../../list/list-part.tsx';
import { useHold } from '../../list/use-hold.ts';
import { agentTasksQuery } from '../../requests/agents.ts';
import { NoTasks } from '../../tasks/no-tasks.tsx';
import { taskColumns } from '../../tasks/task-cells.tsx';
import { type TaskList, useTaskList } from '../../tasks/task-list.ts';
import { count, plural } from '../../text/numbers.ts';

const EXPECTED_ROWS = 12;
const COLUMNS = taskColumns().filter(({ title }) => title !== 'Cost');

export type AgentTaskList = TaskList & { handlers: ReturnType<typeof useHold<HTMLDivElement>>['handlers'] };

/** The newest tasks of an agent; they do not move under the pointer. */
export function useAgentTasks(agentId: string): AgentTaskList {
  const { isHeld, handlers } = useHold();
  return { ...useTaskList(agentTasksQuery(agentId), isHeld), handlers };
}

interface AgentTasksProps {
  agentId: string;
  tasks: AgentTaskList;
  /** Undefined for those who may not. */
  onAdd: (() => void) | undefined;
}

export function AgentTasks({ agentId, tasks, onAdd }: AgentTasksProps) {
  const { list, waiting, show, handlers } = tasks;
  const total = list.data?.total;
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
          <a href={`/console/tasks?agent_id=${agentId}`}>{total === undefined ? 'All tasks' : `All ${count(total)}`}</a>
        </>
      }
    >
      <ListPart
        what="tasks"
        label="Tasks of this agent"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        expectedRows={EXPECTED_ROWS}
        frame={(table) => (
          <div class="task-list" {...handlers}>
            {table}
          </div>
        )}
        empty={
          <NoTasks onCreate={onAdd}>
            <CommandLine command={addTaskCommand(agentId)} label="the command" />
          </NoTasks>
        }
      />
    </Panel>
  );
}
