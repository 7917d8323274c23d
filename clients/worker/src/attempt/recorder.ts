import type { LogOptions, TaskContext } from '../options.ts';
import type { Redactor } from '../redaction.ts';
import { clip } from '../report.ts';
import { isEnding } from '../runtimes/json.ts';
import type { RuntimeEvent, TranscriptEntry } from '../runtimes/runtime.ts';
import { createTranscript } from './transcript.ts';
import type { UsedCounter } from './used.ts';

const PROGRESS_MS = 1_000;
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
  used: Pick<UsedCounter, 'runtime'>;
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
  const progress = createProgress(context);
  const transcript = createTranscript(redactor);
  /** Of live texts, by the call whose output they are. */
  const live = new Map<string | undefined, ReturnType<Redactor['stream']>>();
  const write = (type: LogOptions['type'], data: LogOptions['data']) =>
    context.log('', { level: 'info', stream: 'agent', type, data });
  const closeCalls = () => {
    for (const { type, data } of transcript.close()) write(type, data);
  };
  const note = (text: string, level: 'info' | 'warn') => {
    const shown = clip(redactor.text(text), MAX_DETAIL);
    context.log(shown, { level, stream: 'system' });
    return shown;
  };

  function addEntry(entry: TranscriptEntry): void {
    live.delete(entry.type === 'tool_result' ? entry.data.call_id : undefined);
    const { type, data } = transcript.toEntry(entry);
    write(type, data);
    if (entry.type === 'text') progress.message(redactor.text(entry.data.markdown).trimEnd().split('\n').at(-1) ?? '');
    if (entry.type === 'tool_call') progress.message(redactor.text(`${entry.data.name}: ${entry.data.summary}`));
    if (entry.type !== 'plan') return;
    const { items } = entry.data;
    progress.percent(items.filter(({ state }) => state === 'completed').length, items.length);
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
    else if (event.type === 'interrupted') closeCalls();
    else if (event.type === 'session') addSession(event.id, event.model);
    else if (event.type === 'notice') note(event.text, 'warn');
    else if (event.type === 'denied') addDenial(event.tool, event.detail);
    else if (event.type === 'used') {
      facts.turns = event.turns ?? facts.turns;
      used.runtime(event.used, event.ofSession === true);
    } else if (isEnding(event)) facts.ending ??= event;
  }

  function addDenial(tool: string, detail: string): void {
    note(`Denied: ${tool}: ${detail}`, 'warn');
    if (facts.denials.length < MAX_DENIALS)
      facts.denials.push({ tool: clip(tool, MAX_NAME), detail: clip(detail, MAX_DETAIL) });
  }

  return {
    add,
    facts: facts as Readonly<typeof facts>,
    /** @param isSuspended whether another program goes on with the calls that have no result */
    end(isSuspended: boolean): void {
      if (!isSuspended) closeCalls();
      progress.end();
    },
  };
}

/** Reports at most once a second, the latest last. */
function createProgress(context: Pick<TaskContext, 'progress'>) {
  let percent: number | null = null;
  let message: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = () => {
    timer = undefined;
    reportedAt = performance.now();
    context.progress(percent, message);
  };
  const schedule = () => {
    timer ??= setTimeout(report, Math.max(0, reportedAt + PROGRESS_MS - performance.now()));
  };
  return {
    message(text: string): void {
      const line = text.replaceAll(/\s+/g, ' ').trim();
      if (line === '') return;
      message = clip(line, MAX_PROGRESS);
      schedule();
    },
    percent(done: number, total: number): void {
      percent = total > 0 ? Math.round((100 * Math.min(done, total)) / total) : null;
      schedule();
    },
    end: () => clearTimeout(timer),
  };
}
