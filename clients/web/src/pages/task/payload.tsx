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
