import type { components, LogEntry } from '@agent-fleet/sdk';
import type { ComponentChildren } from 'preact';
import { LongText } from '../components/long-text.tsx';
import { Fold } from '../components/panel.tsx';
import { type InputRequest, requestHref } from '../frame/open-requests.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { FilePatch } from '../patch/patch-view.tsx';
import { AnsiText } from '../text/ansi.tsx';
import { bytes } from '../text/numbers.ts';
import { short } from '../text/pieces.ts';
import { duration } from '../text/times.ts';
import { type Fields, toFields, toList, toNumber, toText } from '../text/unknown.ts';
import { answerWords } from './answers.ts';
import { ToolInput } from './tool-input.tsx';

export type Message = components['schemas']['Message'];

const MAX_CHARACTERS = 2_000;
const MAX_LINE = 300;

/** What an entry refers to: the result of a call, a request, a message. */
export type Related = LogEntry | InputRequest | Message | undefined;

/** What an entry of the transcript shows. Its data come from a worker: what has another type is left out. */
export function entryContent({ type, text, data }: LogEntry, related: Related, isEnded: boolean): ComponentChildren {
  const fields = toFields(data);
  const line = (...parts: unknown[]) => short(parts.filter(toText).join(' · '), MAX_LINE);
  switch (type) {
    case 'text':
      return <Markdown text={toText(fields.markdown) ?? text} />;
    case 'thinking':
      return (
        <Fold class="turn" summary="Thinking">
          {() => (
            <div class="turn-body">
              <LongText text={toText(fields.text) ?? text} />
            </div>
          )}
        </Fold>
      );
    case 'tool_call':
      return <ToolCall call={fields} result={toFields((related as LogEntry | undefined)?.data)} isEnded={isEnded} />;
    case 'tool_result':
      return <ToolCall call={fields} result={fields} isEnded />;
    case 'file_edit': {
      const [added, removed] = [toNumber(fields.added) ?? 0, toNumber(fields.removed) ?? 0];
      return <FilePatch path={toText(fields.path) ?? ''} diff={toText(fields.diff) ?? ''} {...{ added, removed }} />;
    }
    case 'plan':
      return <Plan items={toList(fields.items)} />;
    case 'message':
      return (
        <Said
          by={toText(toFields(fields.by).name)}
          text={toText(fields.text) ?? text}
          message={related as Message | undefined}
        />
      );
    case 'input':
      return <Asked request={related as InputRequest | undefined} />;
    case 'session':
      return <p class="small muted">{line('Session', fields.runtime, fields.model)}</p>;
    default:
      if (text.length <= MAX_CHARACTERS) return <AnsiText text={text} />;
      return <LongText text={text} maxCharacters={MAX_CHARACTERS} isMono />;
  }
}

/** With what came of it; one that failed is open. */
function ToolCall({ call, result, isEnded }: { call: Fields; result: Fields; isEnded: boolean }) {
  const name = toText(call.name) ?? 'Result';
  const summary = toText(call.summary) ?? '';
  const output = toText(result.output);
  const code = toNumber(result.exit_code);
  const took = toNumber(result.duration_ms);
  const isFailed = result.is_error === true || (code ?? 0) !== 0;
  const end = 'call_id' in result ? 'done' : isEnded ? 'no result' : 'running';
  return (
    <Fold
      // A call whose result comes while it is shown.
      key={String(isFailed)}
      class="turn"
      data-tone={isFailed ? 'error' : undefined}
      isOpenAtFirst={isFailed}
      summary={
        <>
          <strong class="cut">{short(name, MAX_LINE)}</strong>
          <span class="cut mono">
            {short(summary.startsWith(name) ? summary.slice(name.length) : summary, MAX_LINE)}
          </span>
          <span class="small number end nowrap">
            {code !== undefined && `exit ${code} · `}
            {took === undefined ? end : duration(took)}
          </span>
        </>
      }
    >
      {() => (
        <div class="stack-tight turn-body">
          {call.input !== undefined && <ToolInput input={call.input} />}
          {output && (
            <div class="tool-text">
              <LongText text={output} maxCharacters={MAX_CHARACTERS} isMono />
            </div>
          )}
          {result.truncated === true && (
            <p class="small muted">The beginning and the end of {bytes(toNumber(result.bytes) ?? 0)}.</p>
          )}
        </div>
      )}
    </Fold>
  );
}

/** By the states that runtimes have. */
const MARKS: Record<string, string> = { completed: '✓', done: '✓', in_progress: '▸' };

function Plan({ items }: { items: readonly Fields[] }) {
  return (
    <ul class="plan" aria-label="Plan">
      {items.map(({ text, state }, index) => (
        <li key={index} data-mark={MARKS[String(state)] ?? '○'}>
          {short(toText(text) ?? '', MAX_LINE)}
        </li>
      ))}
    </ul>
  );
}

/** How a message reached the agent, where that is not as it was meant. */
const TAKEN: Record<NonNullable<Message['delivered_as']>, string> = {
  prompt: 'in its prompt',
  queue: 'after the turn',
  steer: 'into the turn',
  interrupt: 'stopped the turn',
};

interface SaidProps {
  by: string | undefined;
  text: string;
  message?: Message;
}

/** What a person said; a message that the agent has not read as it was meant says so. */
export function Said({ by, text, message }: SaidProps) {
  const { state = 'delivered', mode, delivered_as } = message ?? {};
  const note = state !== 'delivered' ? state : delivered_as !== mode && TAKEN[delivered_as ?? 'queue'];
  return (
    <div class="said">
      <p class="small muted">{[short(by ?? 'A program', MAX_LINE), note].filter(Boolean).join(' · ')}</p>
      <LongText text={text} />
    </div>
  );
}

/** A request in its place; an open one is at the end, in full. */
function Asked({ request }: { request: InputRequest | undefined }) {
  if (!request || request.state === 'open') return null;
  return (
    <div class="row">
      <a href={requestHref(request)}>{short(request.title, MAX_LINE)}</a>
      <span class="muted">{answerWords(request)}</span>
      {request.answer?.text && <LongText text={request.answer.text} maxCharacters={MAX_CHARACTERS} />}
    </div>
  );
}
