import type { ComponentChildren } from 'preact';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';

interface NoTasksProps {
  /** Undefined for those who may not. */
  onCreate: (() => void) | undefined;
  /** How to create one otherwise. */
  children: ComponentChildren;
}

/** In the place of a list of tasks, while there are none. */
export function NoTasks({ onCreate, children }: NoTasksProps) {
  return (
    <EmptyState
      title="No tasks yet"
      actions={
        onCreate && (
          <Button kind="primary" onClick={onCreate}>
            Create task
          </Button>
        )
      }
    >
      {children}
    </EmptyState>
  );
}
