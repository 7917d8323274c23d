import type { components } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { count } from '../../text/numbers.ts';
import { safeLine } from '../../text/safe-text.ts';

type Changes = components['schemas']['Changes'];

const SHOWN = 12;
const MOST = 1_000;

const KINDS = [
  ['added', 'Added'],
  ['changed', 'Changed'],
  ['removed', 'Removed'],
] as const;

export function ChangeList({ changes }: { changes: Changes }) {
  const kinds = KINDS.filter(([kind]) => changes[kind].length > 0);
  return (
    <>
      {kinds.map(([kind, label]) => (
        <Ids key={kind} label={label} ids={changes[kind]} hasPages={kind !== 'removed'} />
      ))}
      {kinds.length === 0 && <p>No skill differs: changes were reverted, or concern other fields.</p>}
      {changes.to !== changes.latest && <p class="small muted">There are more. Mark these as seen to go on.</p>}
    </>
  );
}

function Ids({ label, ids, hasPages }: { label: string; ids: readonly string[]; hasPages: boolean }) {
  const [isWhole, setWhole] = useState(false);
  return (
    <div class="stack-tight">
      <h3>
        {label} <span class="muted number">{count(ids.length)}</span>
      </h3>
      <ul class="registry-ids">
        {ids.slice(0, isWhole ? MOST : SHOWN).map((id) => (
          <li key={id}>{hasPages ? <a href={`/skills/${encodeURIComponent(id)}`}>{safeLine(id)}</a> : safeLine(id)}</li>
        ))}
      </ul>
      {ids.length > SHOWN && (
        <span>
          <Button isSmall aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'Show less' : `Show all ${count(ids.length)}`}
          </Button>
        </span>
      )}
    </div>
  );
}
