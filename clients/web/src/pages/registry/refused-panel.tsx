import { CommandLine } from '../../components/copy.tsx';
import { Panel } from '../../components/panel.tsx';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import { ACCEPTABLE, FAULTS } from './reasons.ts';
import type { SourceStatus } from './registry-status.ts';

type Refused = SourceStatus & { refused: NonNullable<SourceStatus['refused']> };

/** New files that are not served, and how to serve them all the same. */
export function RefusedPanel({ sources }: { sources: readonly SourceStatus[] }) {
  const refused = sources.filter((source): source is Refused => source.refused !== null);
  if (refused.length === 0) return null;
  return (
    <Panel title="Refused files">
      <ul class="stack">
        {refused.map(({ source, refused: { code, message, at, snapshot_id } }) => (
          <li key={source} class="stack-tight">
            <p class="anywhere">
              <strong>{FAULTS[code] ?? safeLine(code)}.</strong> {safeLine(message)}.{' '}
              <span class="muted">
                {safeLine(source)}, <RelativeTime at={at} />
              </span>
            </p>
            {ACCEPTABLE.includes(code) && (
              <>
                <p class="small muted">
                  The previous skills are still served. If the new files are right, restart the registry with this
                  variable:
                </p>
                <CommandLine command={`REGISTRY_ACCEPT_SNAPSHOT=${safeLine(snapshot_id)}`} label="the variable" />
              </>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
