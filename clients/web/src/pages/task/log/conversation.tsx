import type { LogEntry, Task } from '@agent-fleet/sdk';
import { useEffect, useRef } from 'preact/hooks';
import { may } from '../../../api/session.ts';
import { StatusBadge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { ErrorNotice } from '../../../components/notice.tsx';
import { Fold, Panel } from '../../../components/panel.tsx';
import { Entries } from '../../../conversations/entries.tsx';
import { Said } from '../../../conversations/entry.tsx';
import { RequestCard } from '../../../conversations/request-card.tsx';
import { Markdown } from '../../../markdown/markdown.tsx';
import type { Attempt } from '../../../plots/attempt-rows.ts';
import { taskHref } from '../../../tasks/task-cells.tsx';
import { isEnded } from '../../../tasks/task-rows.ts';
import { RelativeTime } from '../../../text/relative-time.tsx';
import { absoluteTime } from '../../../text/times.ts';
import { toText } from '../../../text/unknown.ts';
import { readAgentResult } from '../agent-result.ts';
import { Composer } from '../composer.tsx';
import { pathOf } from '../task-record.ts';
import type { TaskData } from '../use-task.ts';
import { LogToolbar } from './log-toolbar.tsx';
import { useLog, useStayAtEnd } from './use-log.ts';
import './conversation.css';

/** So near to the end counts as the end. */
const END_PIXELS = 24;
const SCROLL_UP_KEYS = new Set(['ArrowUp', 'PageUp', 'Home']);

interface ConversationProps {
  task: TaskData;
  record: Task;
  attempts: readonly Attempt[];
}

/** What was said and done, as it comes. It stands still while somebody points at it or has scrolled up. */
export function Conversation({ task, record, attempts }: ConversationProps) {
  const hasEnded = task.isGone || isEnded(record.status);
  const log = useLog(pathOf(record), hasEnded);
  const box = useRef<HTMLDivElement>(null);
  const isPointed = useRef(false);
  const { shown, isHeld } = log;
  const { requests, messages } = task;
  useStayAtEnd(box, isHeld);
  const lastSaid = shown.entries.findLast(({ type }) => type === 'message')?.id;
  useEffect(() => {
    if (lastSaid !== undefined) messages.reload();
  }, [lastSaid]);
  const others = task.thread.data?.filter(({ id }) => id !== record.id) ?? [];
  const [earlier, later] = [true, false].map((isEarlier) =>
    others
      .filter(({ created_at }) => created_at < record.created_at === isEarlier)
      .map((other) => <OtherTask key={other.id} task={other} />),
  );
  const answer = answerOf(record);
  const isAnswerShown = shown.after === 0 && answer && !shown.entries.some((entry) => textOf(entry) === answer);
  const open = task.isGone ? [] : (requests.data?.filter(({ state }) => state === 'open').toReversed() ?? []);

  const followAtEnd = () => {
    const element = box.current;
    const isAtEnd = !element || element.scrollHeight - element.scrollTop - element.clientHeight < END_PIXELS;
    if (isAtEnd && !isPointed.current && shown.after === 0) log.follow();
  };
  const onSaid = () => {
    log.follow();
    task.reload();
  };
  /** What is there stays in its place. */
  const showEarlier = async () => {
    await log.showEarlier();
    const { scrollHeight = 0, scrollTop = 0 } = box.current ?? {};
    requestAnimationFrame(() => box.current?.scrollTo(0, box.current.scrollHeight - scrollHeight + scrollTop));
  };
  return (
    <Panel
      title="Conversation"
      isFlush
      actions={log.size > 0 && <LogToolbar task={pathOf(record)} log={log} attempts={attempts} />}
    >
      {log.state === 'failed' && (
        <ErrorNotice title="The log could not be loaded" error={log.error} onRetry={log.retry} />
      )}
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
          onPointerOver={({ target: line }) => {
            if (line instanceof HTMLElement && line.dataset.at) line.title = absoluteTime(line.dataset.at);
          }}
          onKeyDown={({ key: pressed }) => SCROLL_UP_KEYS.has(pressed) && log.hold()}
          onPointerEnter={({ pointerType }) => {
            isPointed.current = pointerType === 'mouse';
            if (isPointed.current) log.hold();
          }}
          onPointerLeave={() => {
            isPointed.current = false;
            followAtEnd();
          }}
        >
          <div class="stack-tight">
            {earlier}
            <Said by={record.created_by?.name} text={record.message} />
            {log.hasEarlier && (
              <Button isSmall onClick={() => void showEarlier()}>
                Show earlier
              </Button>
            )}
            <Entries
              entries={shown.entries}
              requests={requests.data}
              messages={messages.data}
              attempts={attempts}
              isEnded={hasEnded}
            />
            {log.delta && (
              <div class="live-text">
                <LongText text={log.delta} />
              </div>
            )}
            {isAnswerShown && <Markdown text={answer} />}
            {log.size === 0 && log.state === 'reconnecting' && <p class="muted">Reconnecting…</p>}
            {log.size > 0 && shown.entries.length === 0 && <p class="muted">No line matches.</p>}
            {later}
            {open.map((request) => (
              <RequestCard key={request.id} request={request} onChange={onSaid} />
            ))}
          </div>
        </div>
        {isHeld && shown.after > 0 && (
          <div class="log-newer row">
            <Button isSmall kind="primary" onClick={log.follow}>
              {shown.after} newer · Jump to newest
            </Button>
          </div>
        )}
      </div>
      {may('tasks:write') && !task.isGone && <Composer record={record} onDone={onSaid} />}
    </Panel>
  );
}

const answerOf = ({ result }: Task) => readAgentResult(result)?.text?.trim();
const textOf = ({ type, text, data }: LogEntry) => type === 'text' && (toText(data?.markdown) ?? text).trim();

/** A task of the same thread, with its last words; what it did on demand. */
function OtherTask({ task }: { task: Task }) {
  const answer = answerOf(task);
  return (
    <section class="stack-tight thread-task">
      <p class="row small muted">
        <StatusBadge status={task.status} />
        <a href={taskHref(task)}>Open this task</a>
        <RelativeTime at={task.created_at} />
      </p>
      <Said by={task.created_by?.name} text={task.message} />
      <Fold class="turn" summary="What it did">
        {() => <OtherEntries task={task} />}
      </Fold>
      {answer && <Markdown text={answer} />}
      {task.error && <LongText text={task.error.message} />}
    </section>
  );
}

function OtherEntries({ task }: { task: Task }) {
  const hasEnded = isEnded(task.status);
  const log = useLog(pathOf(task), hasEnded);
  return (
    <>
      {log.hasEarlier && (
        <Button isSmall onClick={() => void log.showEarlier()}>
          Show earlier
        </Button>
      )}
      <Entries entries={log.shown.entries} isEnded={hasEnded} />
    </>
  );
}
