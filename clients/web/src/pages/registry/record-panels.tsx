import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { count } from '../../text/numbers.ts';
import { safeLine } from '../../text/safe-text.ts';
import { CORRECTIONS, REJECTIONS } from './reasons.ts';
import type { RegistryStatus, RejectedRecord } from './registry-status.ts';

const COLUMNS: Column<RejectedRecord>[] = [
  {
    title: 'Reason',
    isMain: true,
    cell: ({ code }) => REJECTIONS[code] ?? safeLine(code),
    narrow: ({ source }) => <Source source={source} />,
  },
  { title: 'Id', isWideOnly: true, cell: ({ id }) => (id ? safeLine(id) : <span class="muted">none</span>) },
  { title: 'Record', isNumber: true, cell: ({ index }) => `#${count(index + 1)}` },
  { title: 'Source', isWideOnly: true, cell: ({ source }) => <Source source={source} /> },
];

/** The records that are not among the skills, and why. */
export function RejectedPanel({ status: { rejected, counts } }: { status: RegistryStatus }) {
  const isCut = counts.rejected > rejected.length;
  return (
    <Panel
      title="Rejected records"
      isFlush
      actions={
        isCut && <span class="small muted">{`The first ${count(rejected.length)} of ${count(counts.rejected)}`}</span>
      }
    >
      {rejected.length === 0 ? (
        <EmptyState title="Every record is usable" />
      ) : (
        <div class="registry-list">
          <Table
            label="Records and reasons"
            columns={COLUMNS}
            rows={rejected}
            rowKey={({ source, index }) => `${source} ${index}`}
          />
        </div>
      )}
    </Panel>
  );
}

function Source({ source = '' }: { source?: string }) {
  return (
    <span class="mono cut registry-source" title={safeLine(source)}>
      {safeLine(source)}
    </span>
  );
}

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
