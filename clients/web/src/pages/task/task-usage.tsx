import { Facts } from '../../components/facts.tsx';
import { Panel } from '../../components/panel.tsx';
import { count, dollars, plural } from '../../text/numbers.ts';
import { costText } from '../../text/spent.ts';
import type { TaskRecord } from './use-record.ts';

/** What the attempts that have ended have used, and the most they may cost; nothing for a task without either. */
export function TaskUsage({ record: { usage, cost, max_cost: limit } }: { record: TaskRecord }) {
  if (!usage && !cost && !limit) return null;
  return (
    <Panel title="Usage">
      <Facts
        facts={[
          ['Cost', cost && <strong class="number">{costText(cost)}</strong>],
          ['Limit', limit && `${dollars(limit.amount)} for all attempts`],
          ['Input', usage && <Tokens all={usage.input_tokens} part={usage.cached_input_tokens} name="cached" />],
          ['Output', usage && <Tokens all={usage.output_tokens} part={usage.reasoning_tokens} name="reasoning" />],
        ]}
      />
    </Panel>
  );
}

function Tokens({ all, part, name }: { all: number; part: number; name: string }) {
  return (
    <span class="number">
      {plural(all, 'token')}
      {part > 0 && (
        <span class="small muted">
          <br />
          {count(part)} of them {name}
        </span>
      )}
    </span>
  );
}
