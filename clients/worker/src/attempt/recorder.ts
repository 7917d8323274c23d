import type { LogOptions, TaskContext } from '../options.ts';
import type { Redactor } from '../redaction.ts';
import { clip } from '../report.ts';
import type { RuntimeEvent, TranscriptEntry } from '../runtimes/runtime.ts';
import { isEnding } from '../runtimes/session/program-session.ts';
import type { Used } from '../task.ts';
import { createTranscript } from './transcript.ts';
import type { UsedCounter } from './used.ts';

const MAX_PROGRESS = 200;
const MAX_DENIALS = 50;
/** Of a session, a model and a tool: longer ones are no names. */
const MAX_NAME = 1_000;
const MAX_DETAIL = 2_000;

/** How a runtime ended its work, by its own word. */
export type Ending = Extract<RuntimeEvent, { type: 'success' | 'failure' }>;

interface RecorderOptions {
  context: Pick<TaskContext, 'progress' | 'log' | 'delta'>;
  /** Name of the runtime. */
  runtime: string;
  redactor: Redactor;
  used: Pick<UsedCounter, 'runtime' | 'total'>;
}

export type Recorder = ReturnType<typeof createRecorder>;

/** Turns the events of a runtime into progress, log entries and the facts of a result. */
export function createRecorder({ context, runtime, redactor, used }: RecorderOptions) {
  const facts = {
    ending: undefined as Ending | undefined,
    session: null as string | null,
    model: null as string | null,
    turns: null as number | null,
    denials: [] as { tool: string; detail: string }[],
  };
  let percent: number | null = null;
  let message: string | null = null;
  const transcript = createTranscript(redactor);
  /** Of live texts, by the call whose output they are. */
  const live = new Map<string | undefined, ReturnType<Redactor['stream']>>();
  const write = (type: LogOptions['type'], data: LogOptions['data']) =>
    context.log('', { level: 'info', stream: 'agent', type, data });
  /** What the last entry about it says. */
  let toldUsed: Used | undefined;
  const endTurn = () => {
    for (const { type, data } of transcript.close()) write(type, data);
    const total = used.total();
    if (total !== toldUsed) write('usage', { ...total?.usage, cost: total?.cost });
    toldUsed = total;
  };
  const warn = (text: string) =>
    context.log(clip(redactor.text(text), MAX_DETAIL), { level: 'warn', stream: 'system' });
  const showProgress = (text: string) => {
    const line = redactor.text(text).replaceAll(/\s+/g, ' ').trim();
    message = clip(line, MAX_PROGRESS) || message;
    context.progress(percent, message);
  };

  function addEntry(entry: TranscriptEntry): void {
    live.delete(entry.type === 'tool_result' ? entry.data.call_id : undefined);
    const { type, data } = transcript.toEntry(entry);
    write(type, data);
    if (entry.type === 'text') showProgress(entry.data.markdown.trimEnd().split('\n').at(-1) ?? '');
    else if (entry.type === 'tool_call') showProgress(`${entry.data.name}: ${entry.data.summary}`);
    else if (entry.type === 'plan') {
      const { items } = entry.data;
      const done = items.filter(({ state }) => state === 'completed').length;
      percent = items.length > 0 ? Math.round((100 * done) / items.length) : null;
      showProgress('');
    }
  }

  function addDelta(text: string, callId?: string): void {
    const stream = live.get(callId) ?? redactor.stream();
    live.set(callId, stream);
    const shown = stream.add(text);
    if (shown !== '') context.delta(shown, callId);
  }

  function addSession(id: string, model: string | undefined): void {
    facts.session = clip(id, MAX_NAME);
    facts.model = model === undefined ? facts.model : clip(model, MAX_NAME);
    write('session', { runtime, id: redactor.text(facts.session), model: facts.model });
  }

  function add(event: RuntimeEvent): void {
    if (event.type === 'entry') addEntry(event.entry);
    else if (event.type === 'delta') addDelta(event.text, event.callId);
    else if (event.type === 'session') addSession(event.id, event.model);
    else if (event.type === 'notice') warn(event.text);
    else if (event.type === 'denied') addDenial(event.tool, event.detail);
    else if (event.type === 'used') used.runtime(event.used);
    else if (event.type === 'turn') {
      if (event.calls !== undefined) facts.turns = (facts.turns ?? 0) + event.calls;
      endTurn();
    } else if (isEnding(event)) facts.ending ??= event;
  }

  function addDenial(tool: string, detail: string): void {
    warn(`Denied: ${tool}: ${detail}`);
    if (facts.denials.length < MAX_DENIALS)
      facts.denials.push({ tool: clip(tool, MAX_NAME), detail: clip(detail, MAX_DETAIL) });
  }

  return {
    add,
    facts: facts as Readonly<typeof facts>,
    /** @param isSuspended whether another program goes on with the calls that have no result */
    end(isSuspended: boolean): void {
      if (!isSuspended) endTurn();
    },
  };
}
