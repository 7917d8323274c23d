import { useRef } from 'preact/hooks';
import { Button } from '../../../components/button.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { Panel } from '../../../components/panel.tsx';
import type { TaskKey } from '../task-key.ts';
import { LogLine } from './log-line.tsx';
import { LogToolbar, NewerLines } from './log-toolbar.tsx';
import { useLog } from './use-log.ts';
import { useStayAtEnd, useStayInPlace } from './use-log-scroll.ts';

/** So near to the end counts as the end. */
const END_PIXELS = 24;
const SCROLL_UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home']);
interface LogPanelProps {
  task: TaskKey;
  isEnded: boolean;
}

/** The log, as it comes. It stands still while somebody points at it or has scrolled up. */
export function LogPanel({ task, isEnded }: LogPanelProps) {
  const log = useLog(task, isEnded);
  const box = useRef<HTMLDivElement>(null);
  const isPointed = useRef(false);
  const { shown, isHeld } = log;
  useStayAtEnd(box, isHeld, shown.entries);
  useStayInPlace(box, isHeld, shown.entries[0]?.id);

  const followAtEnd = () => {
    const element = box.current;
    const isAtEnd = !element || element.scrollHeight - element.scrollTop - element.clientHeight < END_PIXELS;
    if (isAtEnd && !isPointed.current && shown.after === 0) log.follow();
  };
  const isEmpty = log.size === 0 && (log.state === 'ended' || log.state === 'live');
  return (
    <Panel
      title="Log"
      isFlush
      actions={log.size > 0 && <LogToolbar filter={log.filter} onChange={log.setFilter} state={log.state} />}
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
            class="log"
            role="log"
            aria-label="Log entries"
            aria-live="off"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard.
            tabIndex={0}
            onScroll={followAtEnd}
            onTouchMove={log.hold}
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
              <Button isSmall onClick={() => void log.showEarlier()}>
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
            <NewerLines number={shown.after} onLater={log.showLater} onNewest={log.follow} />
          )}
        </div>
      )}
    </Panel>
  );
}
