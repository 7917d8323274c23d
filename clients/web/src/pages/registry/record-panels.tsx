import { EmptyState } from '../../components/empty-state.tsx';
import { TextField } from '../../components/field.tsx';
import { Panel } from '../../components/panel.tsx';
import type { Column } from '../../components/table.tsx';
import { ListPart } from '../../list/list-part.tsx';
import { Pager } from '../../list/pager.tsx';
import { useListed } from '../../list/use-list.ts';
import { count } from '../../text/numbers.ts';
import { safeLine } from '../../text/safe-text.ts';
import { CORRECTIONS, REJECTIONS } from './reasons.ts';
import type { RegistryStatus, RejectedRecord } from './registry-status.ts';

const LIMIT = 10;

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
  const toText = ({ id = '', source = '', code }: RejectedRecord) => `${REJECTIONS[code]} ${code} ${id} ${source}`;
  const { list, text, setText, pager } = useListed('rejected', rejected, LIMIT, toText);
  const isLong = rejected.length > LIMIT;
  const isCut = counts.rejected > rejected.length;
  return (
    <Panel
      title="Rejected records"
      isFlush
      actions={
        isLong && (
          <TextField
            label="Filter rejected records"
            isLabelHidden
            type="search"
            placeholder="Filter"
            value={text}
            onInput={setText}
          />
        )
      }
    >
      <ListPart
        what="rejected records"
        label="Records and reasons"
        list={list}
        columns={COLUMNS}
        rowKey={({ source, index }) => `${source} ${index}`}
        empty={<EmptyState title={isLong ? 'No records match this filter' : 'Every record is usable'} />}
      />
      {(isLong || isCut) && (
        <div class="panel-pager">
          {isLong && <Pager page={list.data} {...pager} />}
          {isCut && (
            <p class="small muted">
              The first {count(rejected.length)} of {count(counts.rejected)}.
            </p>
          )}
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
