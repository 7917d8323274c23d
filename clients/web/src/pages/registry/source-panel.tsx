import { Badge } from '../../components/badge.tsx';
import { CommandLine } from '../../components/copy.tsx';
import { Panel } from '../../components/panel.tsx';
import { type Column, Table, timeColumn } from '../../components/table.tsx';
import { count } from '../../text/numbers.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { safeLine } from '../../text/safe-text.ts';
import type { Tone } from '../../text/statuses.ts';
import { ACCEPTABLE, FAULTS } from './reasons.ts';
import { type SourceStatus, sortSources, stateOf } from './registry-status.ts';

const STATES: Record<ReturnType<typeof stateOf>, [tone: Tone, label: string]> = {
  failing: ['error', 'failing'],
  refused: ['warn', 'refused'],
  unread: ['neutral', 'not read yet'],
  current: ['ok', 'up to date'],
};

const COLUMNS: Column<SourceStatus>[] = [
  { title: 'Source', isMain: true, cell: (source) => <SourceCell source={source} /> },
  { title: 'State', isWideOnly: true, cell: (source) => <State source={source} /> },
  { title: 'Skills', isNumber: true, cell: ({ records }) => count(records) },
  { title: 'Rejected', isNumber: true, isWideOnly: true, cell: ({ rejected }) => <Some number={rejected} /> },
  { title: 'Missing', isNumber: true, isWideOnly: true, cell: ({ missing }) => <Some number={missing} /> },
  timeColumn('Changed', ({ fetched_at }) => fetched_at, { isWideOnly: true }),
  timeColumn('Checked', ({ checked_at }) => checked_at, { isWideOnly: true }),
];

/** Where the skills come from, and whether that works. */
export function SourcePanel({ sources }: { sources: readonly SourceStatus[] | undefined }) {
  return (
    <Panel title="Sources" isFlush>
      <div class="registry-list">
        <Table
          label="State of the sources"
          columns={COLUMNS}
          rows={sources && sortSources(sources)}
          rowKey={({ source }) => source}
          expectedRows={1}
        />
      </div>
    </Panel>
  );
}

/** On narrow screens also what has no column there. */
function SourceCell({ source: status }: { source: SourceStatus }) {
  const { source, last_error, refused, checked_at, next_check_at } = status;
  const fault = refused ?? last_error;
  return (
    <>
      <span class="cut mono" title={safeLine(source)}>
        {source === 'shipped' ? 'The skills that ship with Agent Fleet' : safeLine(source)}
      </span>
      {fault && (
        <p class="registry-fault">
          {FAULTS[fault.code] ?? safeLine(fault.code)}: {safeLine(fault.message)}
        </p>
      )}
      <span class="narrow-only small muted">
        <State source={status} /> <RelativeTime at={checked_at} />
      </span>
      {next_check_at && Date.parse(next_check_at) > Date.now() && (
        <p class="small muted">
          Next check <RelativeTime at={next_check_at} />, as the source asks
        </p>
      )}
    </>
  );
}

function State({ source }: { source: SourceStatus }) {
  const [tone, label] = STATES[stateOf(source)];
  return <Badge tone={tone}>{label}</Badge>;
}

function Some({ number }: { number: number }) {
  return <span class={number === 0 ? 'muted' : undefined}>{count(number)}</span>;
}

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
            <p>
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
