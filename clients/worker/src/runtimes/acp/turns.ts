import type { ClientContext } from '@agentclientprotocol/sdk';
import { objectOf, textOf } from '../json.ts';
import type { Message, RuntimeEvent } from '../runtime.ts';
import { fail } from './failures.ts';
import type { UpdateReader } from './updates.ts';

interface TurnsOptions {
  agent: ClientContext;
  sessionId: string;
  /** Whether the agent takes a message into a running turn. */
  steers: boolean;
  reader: UpdateReader;
  onEvent(event: RuntimeEvent): void;
  /** Called when a turn is to stop, for what it still asks. */
  onStop(): void;
}

type Waiting = Pick<Message, 'text' | 'mode'> & { id: string | undefined };

/** The turns of a session, one after the other: an agent is prompted again only when it has answered. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting: Waiting[] = [];
  #woken = Promise.withResolvers<void>();
  #isRunning = false;
  /** Whether a person wants the turn to stop, and says later what now. */
  #isInterrupting = false;
  /** What is queued waits until a person has said what now. */
  #isStopped = false;
  #isEnding = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Adds a message for the next turn, which nobody waits for. */
  add(text: string): void {
    this.#waiting.push({ id: undefined, text, mode: 'queue' });
  }

  say(message: Message): void {
    if (message.mode === 'steer' && this.#options.steers && this.#isRunning) this.#steer(message);
    else if (message.mode === 'interrupt' || this.#isStopped) {
      this.#waiting.unshift(message);
      this.#isStopped = false;
      if (this.#isRunning) this.#stop();
    } else this.#waiting.push({ ...message, mode: 'queue' });
    this.#woken.resolve();
  }

  interrupt(): void {
    this.#isInterrupting = true;
    this.#stop();
  }

  /** Stops the turn; no other one begins. */
  end(): void {
    this.#isEnding = true;
    this.#stop();
    this.#woken.resolve();
  }

  #stop(): void {
    const { agent, sessionId, onStop } = this.#options;
    onStop();
    void agent.notify('session/cancel', { sessionId }).catch(() => {});
  }

  #steer(message: Message): void {
    const { agent, sessionId, onEvent } = this.#options;
    const prompt = [{ type: 'text' as const, text: message.text }];
    agent.request<unknown>('_session/steering', { sessionId, prompt }).then(
      () => onEvent({ type: 'delivered', id: message.id, as: 'steer' }),
      () => this.say({ ...message, mode: 'queue' }),
    );
  }

  /** Runs turns until nothing waits. Undefined when they were ended. @throws what the agent reports */
  async run(prompt: string): Promise<RuntimeEvent | undefined> {
    const { onEvent, reader } = this.#options;
    for (let next: Waiting | undefined = { id: undefined, text: prompt, mode: 'queue' }, isFirst = true; ; ) {
      if (next === undefined) return undefined;
      if (next.id !== undefined) onEvent({ type: 'delivered', id: next.id, as: isFirst ? 'prompt' : next.mode });
      const response = await this.#prompt(next.text);
      for (const event of reader.readEnd(response)) onEvent(event);
      if (this.#isEnding) return undefined;
      isFirst = this.#isStopped = this.#isInterrupting && this.#waiting[0]?.mode !== 'interrupt';
      if (isFirst) onEvent({ type: 'interrupted' });
      this.#isInterrupting = false;
      if (!isFirst && this.#waiting.length === 0) return toEnding(textOf(response.stopReason), reader.finalText());
      next = await this.#next();
    }
  }

  async #prompt(text: string) {
    const { agent, sessionId } = this.#options;
    this.#isRunning = true;
    const prompt = [{ type: 'text' as const, text: withoutCommand(text) }];
    const response = await agent.request('session/prompt', { sessionId, prompt });
    this.#isRunning = false;
    return objectOf(response);
  }

  async #next(): Promise<Waiting | undefined> {
    while ((this.#waiting.length === 0 || this.#isStopped) && !this.#isEnding) {
      this.#woken = Promise.withResolvers();
      await this.#woken.promise;
    }
    return this.#isEnding ? undefined : this.#waiting.shift();
  }
}

/**
 * A message that begins with a slash, or a dollar sign, is a command of the agent: Gemini CLI's `/extensions install`
 * asks nobody. So something is before it, which no agent trims.
 */
const withoutCommand = (text: string) => (/^\s*[/$]/.test(text) ? `The task:\n\n${text}` : text);

function toEnding(stopReason: string, text: string): RuntimeEvent {
  if (stopReason === 'end_turn') return { type: 'success', text };
  if (stopReason === 'max_tokens' || stopReason === 'max_turn_requests') {
    return fail('max_turns', `The agent stopped at a limit of its own: ${stopReason}`, false);
  }
  if (stopReason === 'refusal') return fail('refused', text || 'The model refused to go on', false);
  return fail('no_result', `The agent stopped without a result: ${stopReason}`, true);
}
