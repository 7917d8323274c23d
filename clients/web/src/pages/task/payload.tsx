import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { JsonView } from '../../json/json-view.tsx';
import type { TaskData } from './use-task.ts';

export interface PayloadProps {
  title: string;
  task: TaskData;
  /** Whether it has come. */
  isKnown: boolean;
  name: 'input' | 'result' | 'metadata' | 'output_schema';
  /** Whether it is left out when there is none. */
  isOptional?: boolean;
}

/** A part of a task that is JSON. */
export function Payload({ title, task: { whole, isGone }, isKnown, name, isOptional }: PayloadProps) {
  const isMissing = !isKnown && (isGone || whole.error !== undefined);
  const value = isKnown ? whole.data?.[name] : undefined;
  if (isOptional && (value ?? null) === null) return null;
  return (
    <Panel title={title}>
      {isMissing && <PartError what={`The ${title.toLowerCase()}`} query={whole} isGone={isGone} />}
      {!isKnown && !isMissing && <SkeletonLines lines={2} />}
      {value === null && <p class="muted">None</p>}
      {value !== undefined && value !== null && (
        <div class="payload">
          <JsonView value={value} label={title.toLowerCase()} />
        </div>
      )}
    </Panel>
  );
}

interface PartErrorProps {
  /** Such as "The input". */
  what: string;
  query: { error: unknown; reload: () => void };
  isGone: boolean;
}

/** In the place of a part of a task that could not be loaded. */
export function PartError({ what, query, isGone }: PartErrorProps) {
  if (isGone) return <p class="muted">{what} had not been loaded when the task was deleted.</p>;
  return <ErrorNotice title={`${what} could not be loaded`} error={query.error} onRetry={query.reload} />;
}
