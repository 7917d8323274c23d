import { Panel } from '../../components/panel.tsx';
import { count } from '../../text/numbers.ts';
import { safeLine } from '../../text/safe-text.ts';
import { CORRECTIONS } from './reasons.ts';
import type { RegistryStatus } from './registry-status.ts';

/** What was wrong with records that are served, the most frequent first. */
export function CorrectionsPanel({ status: { warnings, duplicates } }: { status: RegistryStatus }) {
  const sorted = warnings.toSorted((a, b) => b.count - a.count);
  return (
    <Panel title="Corrections" isFlush>
      <ul>
        {sorted.map(({ code, count: number }) => {
          const [what, how] = CORRECTIONS[code] ?? [safeLine(code), ''];
          return (
            <li key={code} class="registry-row" title={code}>
              <span class="grow">
                {what} <span class="muted small">{how}</span>
              </span>
              <span class="number">{count(number)}</span>
            </li>
          );
        })}
        {duplicates.count > 0 && (
          <li class="registry-row">
            <details class="grow">
              <summary>
                Merged into another skill <span class="muted small">{count(duplicates.count)} records</span>
              </summary>
              <p class="registry-ids">
                {duplicates.ids.map((id) => (
                  <a key={id} href={`/skills/${encodeURIComponent(id)}`}>
                    {safeLine(id)}
                  </a>
                ))}
              </p>
            </details>
          </li>
        )}
        {sorted.length === 0 && <li class="panel-body muted">No record had to be corrected.</li>}
      </ul>
    </Panel>
  );
}
