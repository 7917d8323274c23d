import { ErrorNotice } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { JsonView } from '../../json/json-view.tsx';

interface PayloadProps {
  title: string;
  value: unknown;
}

/** A part of a task that is JSON, if it has one. */
export function Payload({ title, value }: PayloadProps) {
  if (value === null || value === undefined) return null;
  return (
    <Panel title={title}>
      <div class="payload">
        <JsonView value={value} label={title.toLowerCase()} />
      </div>
    </Panel>
  );
}

interface PartErrorProps {
  /** Such as "The attempts". */
  what: string;
  query: { error: unknown; reload: () => void };
  isGone: boolean;
}

/** In the place of a part of a task that could not be loaded. */
export function PartError({ what, query, isGone }: PartErrorProps) {
  if (isGone) return <p class="muted">{what} had not been loaded when the task was deleted.</p>;
  return <ErrorNotice title={`${what} could not be loaded`} error={query.error} onRetry={query.reload} />;
}
