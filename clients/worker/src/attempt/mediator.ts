import { hash } from 'node:crypto';
import { toPlain } from '@agent-fleet/sdk/exact-json';
import { messageOf, TaskAbortError } from '../errors.ts';
import type { Answer, Ask, AskOption } from '../messages.ts';
import type { TaskContext, TaskMessage } from '../options.ts';
import type { Redactor } from '../redaction.ts';
import { clip } from '../report.ts';
import type { RuntimeEvent, RuntimeSession } from '../runtimes/runtime.ts';
import { decisionOf } from '../runtimes/session/questions.ts';
import type { EarlierAnswers } from './earlier-answers.ts';
import type { Limits } from './limits.ts';
import { toolDigest } from './tool-digest.ts';

const MAX_TITLE = 200;
const MAX_TEXT = 5_000;
const MAX_INPUT_BYTES = 60 * 1024;
const MAX_OPTIONS = 20;
const MAX_DESCRIPTION = 500;
const MAX_KEY = 200;
const OTHER_CALL = 'This call is not the one that a person has seen: it does not run';
const TOO_LARGE = 'No person can be asked for a call with so large an input: make it smaller';

export interface MediatorOptions {
  /** Of the definition: what it permits, nobody is asked. */
  permits(tool: NonNullable<Ask['tool']>): boolean;
  context: Pick<TaskContext, 'ask' | 'messages'>;
  redactor: Redactor;
  limits: Limits;
  earlier: EarlierAnswers;
  /** Called before a person is asked. */
  onAsk(): Promise<void>;
  /** Receives what people should know. */
  warn(text: string): void;
}

type Decision = ReturnType<typeof decisionOf>;

/** Passes on what a runtime asks, its answers, and what people say to it; one program after the other. */
export class Mediator {
  readonly #options: MediatorOptions;
  /** By key. */
  readonly #asking = new Map<string, AbortController>();
  readonly #asked = new Set<Promise<void>>();
  /** Those that no program has taken. */
  readonly #messages = new Map<string, TaskMessage>();
  /** Undefined before the first program, and while it is suspended. */
  #session: RuntimeSession | undefined;
  #interruption: TaskMessage | undefined;
  #isInterrupted = false;
  #count = 0;
  isSuspended = false;

  constructor(options: MediatorOptions) {
    this.#options = options;
  }

  /** Starts to pass on to a program, also what none has taken before. */
  attach(session: RuntimeSession): void {
    this.#session = session;
    this.isSuspended = false;
    this.#goOn();
    for (const [id, { text, mode }] of this.#messages) session.say({ id, text, mode });
  }

  /** From now on answers are kept for the next start of the program. */
  suspend(): void {
    this.#session = undefined;
    this.isSuspended = true;
  }

  async listen(): Promise<void> {
    for await (const message of this.#options.context.messages({ confirms: true })) this.say(message);
  }

  say(message: TaskMessage): void {
    const { id: given, text, mode } = message;
    if (given === null && mode === 'interrupt') {
      this.#interruption = message;
      this.#session?.interrupt();
      return;
    }
    const id = given ?? `go-on-${++this.#count}`;
    this.#messages.set(id, message);
    this.#session?.say({ id, text, mode });
  }

  /** What is for people or from them; the recorder has the rest. */
  add(event: RuntimeEvent): void {
    if (event.type === 'ask') {
      const done = this.#ask(event.ask).finally(() => this.#asked.delete(done));
      this.#asked.add(done);
    } else if (event.type === 'unasked') this.#asking.get(event.key)?.abort();
    else if (event.type === 'deferred') this.#options.earlier.defer(event.key);
    else if (event.type === 'interrupted') this.#onInterrupted();
    else if (event.type === 'delivered') {
      this.#take(event.id)?.delivered(this.#isInterrupted ? 'interrupt' : event.as);
      this.#goOn();
    } else if (event.type === 'dropped') this.#take(event.id)?.dropped();
  }

  /** Asks a person; an answer that comes while the program is suspended is for its next start too. */
  async ask(ask: Ask, signal?: AbortSignal): Promise<Answer> {
    const { context, limits, earlier, redactor, onAsk } = this.#options;
    const withdrawal = new AbortController();
    // The program goes away by its suspension: what it asks stays open.
    signal?.addEventListener('abort', () => this.isSuspended || withdrawal.abort());
    limits.pause();
    try {
      await onAsk();
      const answer = await context.ask(toRequest(ask, redactor), { signal: withdrawal.signal });
      if (this.isSuspended) earlier.add(ask, answer);
      return answer;
    } finally {
      limits.resume();
    }
  }

  /** Asks for a call of a tool that the worker would make itself. What is permitted was asked as it is. */
  async permit(ask: Ask & { options: AskOption[] }, signal: AbortSignal): Promise<Decision> {
    const { earlier, redactor } = this.#options;
    const request = toRequest(ask, redactor);
    if (Buffer.byteLength(JSON.stringify(request.tool)) > MAX_INPUT_BYTES) return { role: 'deny', text: TOO_LARGE };
    const answer = earlier.take(ask) ?? (await this.ask(ask, signal));
    const digest = request.tool && toolDigest(request.tool);
    if (answer?.tool_digest && answer.tool_digest !== digest) return { role: 'deny', text: OTHER_CALL };
    return decisionOf(ask.options, answer);
  }

  #permission({ kind, tool, options = [] }: Ask): Answer | undefined {
    const allow = options.find(({ role }) => role === 'allow');
    if (kind !== 'approval' || !tool || !allow || !this.#options.permits(tool)) return undefined;
    return { option_ids: [allow.id], text: null, values: null };
  }

  /** Resolves when all that was asked has been answered. */
  async settle(): Promise<void> {
    await Promise.all(this.#asked);
  }

  async #ask(ask: Ask): Promise<void> {
    const { earlier, redactor, warn } = this.#options;
    const known = earlier.take(ask) ?? this.#permission(ask);
    const { tool = null } = toRequest(ask, redactor);
    if (known !== undefined) this.#answer(ask, known);
    else if (Buffer.byteLength(JSON.stringify(tool)) > MAX_INPUT_BYTES) {
      this.#session?.answer(ask.key, { option_ids: null, text: TOO_LARGE, values: null });
    } else {
      const withdrawal = new AbortController();
      this.#asking.set(ask.key, withdrawal);
      try {
        const answer = await this.ask(ask, withdrawal.signal);
        if (!withdrawal.signal.aborted) this.#answer(ask, answer);
      } catch (error) {
        if (error instanceof TaskAbortError) return;
        warn(`No person can be asked: ${messageOf(error)}`);
        this.#session?.answer(ask.key, null);
      } finally {
        this.#asking.delete(ask.key);
      }
    }
  }

  /** An approval is for the very call that was shown. */
  #answer(ask: Ask, answer: Answer): void {
    const { redactor } = this.#options;
    const { tool, options = [], key } = ask;
    const isAllowed = /^allow/.test(decisionOf(options, answer).role ?? '');
    const call = tool && { name: tool.name, input: toPlain(answer?.tool_input ?? tool.input) };
    const digest = isAllowed && call && toolDigest(redactor.json(call) as typeof call);
    const isOther = digest && answer?.tool_digest && answer.tool_digest !== digest;
    this.#session?.answer(key, isOther ? { option_ids: null, text: OTHER_CALL, values: null } : answer);
  }

  #onInterrupted(): void {
    this.#interruption?.delivered();
    this.#interruption = undefined;
    if (!this.#isInterrupted) this.#options.limits.pause();
    this.#isInterrupted = true;
  }

  #goOn(): void {
    if (this.#isInterrupted) this.#options.limits.resume();
    this.#isInterrupted = false;
  }

  #take(id: string): TaskMessage | undefined {
    const message = this.#messages.get(id);
    this.#messages.delete(id);
    return message;
  }
}

/** Within the limits of the fleet. Who changes an input that is not shown in full would change what is hidden. */
function toRequest(ask: Ask, redactor: Redactor): Ask {
  const { key, title, text, tool, options, input_editable: isEditable, ...rest } = redactor.json(ask) as Ask;
  const isWhole = JSON.stringify(tool) === JSON.stringify(ask.tool);
  const shown = clip(title.replaceAll(/\s+/g, ' ').trim(), MAX_TITLE) || 'A question';
  return {
    ...rest,
    key: key.length <= MAX_KEY ? key : hash('sha256', key),
    title: shown,
    ...(text && text !== shown && { text: clip(text, MAX_TEXT) }),
    // A form has no place for words: no runtime passes them on.
    ...(ask.kind === 'form' && { allow_text: false }),
    ...(tool && { tool: { ...tool, name: clip(tool.name, MAX_TITLE) } }),
    ...(isEditable && isWhole && { input_editable: true }),
    ...(options && options.length > 0 && { options: options.slice(0, MAX_OPTIONS).map(cutOption) }),
  };
}

const cutOption = ({ label, description, ...option }: NonNullable<Ask['options']>[number]) => ({
  ...option,
  label: clip(label, MAX_TITLE) || '–',
  ...(description && { description: clip(description, MAX_DESCRIPTION) }),
});
