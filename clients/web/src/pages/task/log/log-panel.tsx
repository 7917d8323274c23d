import type { LogEntry } from '@agent-fleet/sdk';
import { useRef, useState } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { SelectField, TextField } from '../../../components/field.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/panel.tsx';
import type { Attempt } from '../../../plots/attempt-rows.ts';
import { AnsiText } from '../../../text/ansi.tsx';
import { plural } from '../../../text/numbers.ts';
import { absoluteTime, clockTime } from '../../../text/times.ts';
import type { TaskKey } from '../task-record.ts';
import type { LogFilter } from './log-buffer.ts';
import { type LogLook, LogMenu } from './log-menu.tsx';
import type { LogState } from './log-source.ts';
import { useLog, useStayAtEnd } from './use-log.ts';
import './log.css';

/** So near to the end counts as the end. */
const END_PIXELS = 24;
const SCROLL_UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home']);

interface LogPanelProps {
  task: TaskKey;
  attempts: readonly Attempt[];
  isEnded: boolean;
}

/** The log, as it comes. It stands still while somebody points at it or has scrolled up. */
export function LogPanel({ task, attempts, isEnded }: LogPanelProps) {
  const log = useLog(task, isEnded);
  const [look, setLook] = useState<LogLook>({ isWrapped: true, isFull: false });
  const box = useRef<HTMLDivElement>(null);
  const isPointed = useRef(false);
  const { shown, isHeld } = log;
  useStayAtEnd(box, isHeld, shown.entries);

  const followAtEnd = () => {
    const element = box.current;
    const isAtEnd = !element || element.scrollHeight - element.scrollTop - element.clientHeight < END_PIXELS;
    if (isAtEnd && !isPointed.current && shown.after === 0) log.follow();
  };
  /** The lines that are there stay in their places. */
  const showEarlier = async () => {
    await log.showEarlier();
    const { scrollHeight = 0, scrollTop = 0 } = box.current ?? {};
    requestAnimationFrame(() => box.current?.scrollTo(0, box.current.scrollHeight - scrollHeight + scrollTop));
  };
  const isEmpty = log.size === 0 && (log.state === 'ended' || log.state === 'live');
  return (
    <Panel
      title="Log"
      isFlush
      actions={
        log.size > 0 && (
          <>
            <LogToolbar filter={log.filter} onChange={log.setFilter} state={log.state} attempts={attempts} />
            <LogMenu task={task} filter={log.filter} look={look} onLook={setLook} />
          </>
        )
      }
    >
      {log.state === 'failed' && (
        <ErrorNotice title="The log could not be loaded" error={log.error} onRetry={log.retry} />
      )}
      {isEmpty && isEnded ? (
        <p class="log-empty muted">The worker wrote no log.</p>
      ) : (
        <div class="log-frame">
          <div
            ref={box}
            class={`log${look.isWrapped ? '' : ' log-unwrapped'}${look.isFull ? ' log-full' : ''}`}
            role="log"
            aria-label="Log entries"
            aria-live="off"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard.
            tabIndex={0}
            onScroll={followAtEnd}
            onTouchMove={log.hold}
            onPointerOver={({ target: line }) => {
              if (line instanceof HTMLElement && line.dataset.at) line.title = absoluteTime(line.dataset.at);
            }}
            onKeyDown={({ key }) => SCROLL_UP_KEYS.has(key) && log.hold()}
            onPointerEnter={({ pointerType }) => {
              isPointed.current = pointerType === 'mouse';
              if (isPointed.current) log.hold();
            }}
            onPointerLeave={() => {
              isPointed.current = false;
              followAtEnd();
            }}
          >
            {log.hasEarlier && (
              <Button isSmall onClick={() => void showEarlier()}>
                Show earlier lines
              </Button>
            )}
            {shown.entries.map((entry) => (
              <LogLine key={entry.id} entry={entry} />
            ))}
            {isEmpty && <p class="muted">Nothing yet. Lines appear here as the worker writes them.</p>}
            {log.size === 0 && log.state === 'reconnecting' && <p class="muted">Reconnecting…</p>}
            {log.size > 0 && shown.entries.length === 0 && <p class="muted">No line matches.</p>}
          </div>
          {isHeld && shown.after > 0 && (
            <div class="log-newer row">
              <Button isSmall kind="primary" onClick={log.follow}>
                {plural(shown.after, 'newer line')} · Jump to newest
              </Button>
            </div>
          )}
        </div>
      )}
    </Panel>
  );
}

const MAX_CHARACTERS = 2_000;

/** Few elements: hundreds of lines a second come and go. */
function LogLine({ entry: { id, at, level, stream, text } }: { entry: LogEntry }) {
  return (
    <div id={`log-${id}`} class={`log-line log-${level}`} data-entry={id}>
      <a class="log-time quiet-link" href={`#log-${id}`} tabIndex={-1} data-at={at}>
        {preciseTime(at)}
      </a>
      <span class="log-source">
        {level} <span class="log-stream">{stream}</span>
      </span>
      <span class="log-text">
        {text.length > MAX_CHARACTERS ? (
          <LongText text={text} maxCharacters={MAX_CHARACTERS} isMono />
        ) : (
          <AnsiText text={text} />
        )}
      </span>
    </div>
  );
}

/** `19:23:04.512`, in the zone of the reader. */
function preciseTime(iso: string): string {
  const time = new Date(iso);
  return `${clockTime(time)}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

const LEVEL_OPTIONS = [
  { value: 'debug', label: 'All levels' },
  { value: 'info', label: 'Info and above' },
  { value: 'warn', label: 'Warnings and errors' },
  { value: 'error', label: 'Errors' },
];

/** From the start of an attempt to that of the next one; the first has what came before it, too. */
function spanOf(starts: readonly number[], index: number): LogFilter['span'] {
  const from = index === 0 ? Number.NEGATIVE_INFINITY : (starts[index] ?? 0);
  return { from, to: starts[index + 1] ?? Number.POSITIVE_INFINITY };
}

interface LogToolbarProps {
  attempts: readonly Attempt[];
  filter: LogFilter;
  state: LogState;
  onChange: (filter: LogFilter) => void;
}

function LogToolbar({ filter, state, attempts, onChange }: LogToolbarProps) {
  const starts = attempts.map(({ started_at }) => Date.parse(started_at));
  const next = starts.indexOf(filter.span?.to ?? Number.NaN);
  return (
    <div class="log-toolbar row">
      <TextField
        label="Filter lines"
        isLabelHidden
        type="search"
        placeholder="Filter lines"
        autocomplete="off"
        isSearch
        value={filter.text}
        onInput={(text) => onChange({ ...filter, text })}
      />
      <SelectField
        label="Level"
        isLabelHidden
        value={filter.level}
        options={LEVEL_OPTIONS}
        onInput={(level) => onChange({ ...filter, level: level as LogFilter['level'] })}
      />
      {starts.length > 1 && (
        <SelectField
          label="Attempt"
          isLabelHidden
          value={filter.span ? String((next < 0 ? starts.length : next) - 1) : ''}
          options={[
            { value: '', label: 'All attempts' },
            ...attempts.map(({ number }, index) => ({ value: String(index), label: `Attempt ${number}` })),
          ]}
          onInput={(value) => onChange({ ...filter, span: value === '' ? undefined : spanOf(starts, Number(value)) })}
        />
      )}
      {state === 'reconnecting' && <span class="small muted">Reconnecting</span>}
    </div>
  );
}
