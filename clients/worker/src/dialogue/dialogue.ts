import type { Lease } from '@agent-fleet/sdk';
import type { Logger } from '../availability.ts';
import { retry } from '../backoff.ts';
import { isLeaseLost, isRefused, messageOf } from '../errors.ts';
import type { FleetClient, InboxItem } from '../fleet-client.ts';
import type { Answer, Ask } from '../messages.ts';
import type { TaskMessage } from '../options.ts';
import type { Session } from '../task.ts';
import { createMessageQueue } from './message-queue.ts';

interface DialogueOptions {
  client: FleetClient;
  lease: Lease;
  logger: Logger;
  /** How long the lease is held while a person is asked. */
  holdMs: number;
  /** Aborts when the worker takes no more tasks. */
  stopping: AbortSignal;
  /** Aborts when the handler must end. */
  signal: AbortSignal;
  /** Resolves soon, when the fleet has what was said so far: a question comes after it. */
  untilLogged(): Promise<void>;
  /** Called when the fleet has the suspension. */
  onSuspended(): void;
  onCancel(): void;
}

interface Open {
  key: string;
  resolve(answer: Answer): void;
}

/** What one attempt and people say to each other. */
export class Dialogue {
  readonly #options: DialogueOptions;
  /** By the id of the request. */
  readonly #open = new Map<string, Open>();
  /** Answers to requests whose id is not known yet, or that the fleet has opened: of interruptions. */
  readonly #unclaimed = new Map<string, Answer>();
  readonly #messages = createMessageQueue();
  /** Ids of the requests of this attempt. */
  readonly #own = new Set<string>();
  #opening = 0;
  /** Whether a person has been told that the turn has stopped, and has not said what now. */
  #isInterrupted = false;
  #holdTimer: NodeJS.Timeout | undefined;
  #onHoldEnd: () => void = () => {
    this.suspend().catch(() => {});
  };
  /** To what an attempt asked that was suspended, by key. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** Any JSON up to 64 KiB: what a suspension keeps. */
  state: unknown;

  constructor(options: DialogueOptions) {
    this.#options = options;
    const { resume } = options.lease;
    this.state = resume?.state ?? null;
    this.answers = new Map(resume?.answers.map(({ key, answer }) => [key, answer]));
    options.stopping.addEventListener('abort', this.#onStop);
  }

  readonly #onStop = () => {
    if (this.#isWaiting()) this.#onHoldEnd();
  };

  /** Asks a person, and waits for the answer. @throws FleetError if the fleet refuses the request */
  async ask(request: Ask, { signal }: { signal?: AbortSignal } = {}): Promise<Answer> {
    const known = this.answers.get(request.key);
    if (known !== undefined) return known;
    const { client, lease, signal: ended, untilLogged } = this.#options;
    this.#opening += 1;
    await untilLogged();
    const opened = await retry(() => client.ask(lease, request, ended), ended).finally(() => {
      this.#opening -= 1;
    });
    this.#own.add(opened.id);
    const early = this.#unclaimed.get(opened.id);
    this.#unclaimed.delete(opened.id);
    this.#claimRest();
    if (early !== undefined) return early;
    if (opened.state !== 'open') return opened.answer;
    return this.#wait(opened.id, request.key, signal);
  }

  async #wait(id: string, key: string, signal: AbortSignal | undefined): Promise<Answer> {
    const { signal: ended } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const onEnd = () => reject(ended.reason);
    const onWithdraw = () => {
      this.#withdraw(id);
      resolve(null);
    };
    ended.addEventListener('abort', onEnd);
    signal?.addEventListener('abort', onWithdraw);
    this.#open.set(id, { key, resolve });
    this.#changed();
    if (ended.aborted) onEnd();
    else if (signal?.aborted) onWithdraw();
    return promise.finally(() => {
      ended.removeEventListener('abort', onEnd);
      signal?.removeEventListener('abort', onWithdraw);
      this.#open.delete(id);
      this.#changed();
    });
  }

  #withdraw(id: string): void {
    const { client, lease } = this.#options;
    // The fleet withdraws some by itself.
    this.#confirm((signal) => client.withdraw(lease, id, signal));
  }

  /** Starts or ends the time for which the lease is held. */
  #changed(): void {
    const { holdMs, stopping, signal } = this.#options;
    if (!this.#isWaiting() || signal.aborted) {
      clearTimeout(this.#holdTimer);
      this.#holdTimer = undefined;
    } else if (stopping.aborted) this.#onHoldEnd();
    else this.#holdTimer ??= setTimeout(() => this.#onHoldEnd(), holdMs);
  }

  #isWaiting(): boolean {
    return this.#open.size > 0 || this.#isInterrupted;
  }

  /** Replaces what is done when nobody has answered for long, or the worker stops meanwhile: `suspend()`. */
  onHoldEnd(callback: () => void): void {
    this.#onHoldEnd = callback;
  }

  messages(options?: { confirms?: boolean }): AsyncGenerator<TaskMessage, void, undefined> {
    return this.#messages.read(options?.confirms ?? false);
  }

  /** What has come and nobody has taken. */
  takeMessages(): TaskMessage[] {
    return this.#messages.take();
  }

  onItem(item: InboxItem): void {
    if (item.type === 'cancel') this.#options.onCancel();
    else if (item.type === 'answer') {
      this.#unclaimed.set(item.request_id ?? '', item.answer ?? null);
      this.#claim();
    } else if (item.type === 'interrupt') this.#addInterruption();
    else this.#addMessage(item);
  }

  #claim(): void {
    for (const [id, answer] of this.#unclaimed) {
      const open = this.#open.get(id);
      if (open === undefined) continue;
      this.#unclaimed.delete(id);
      open.resolve(answer);
    }
    this.#claimRest();
  }

  /** Of a request that this attempt did not open: what to do after an interruption. `stop` cancels the task. */
  #claimRest(): void {
    if (this.#opening > 0) return;
    for (const [id, answer] of this.#unclaimed) {
      if (this.#own.has(id)) continue;
      this.#goOn();
      if (answer === null || answer.option_ids?.includes('stop')) continue;
      this.#messages.add({ id: null, text: answer.text || 'Go on.', mode: 'queue', ...NOTHING });
    }
    this.#unclaimed.clear();
  }

  #goOn(): void {
    this.#isInterrupted = false;
    this.#changed();
  }

  #addInterruption(): void {
    const { client, lease, untilLogged } = this.#options;
    const delivered = () => {
      this.#isInterrupted = true;
      this.#changed();
      this.#confirm((signal) => untilLogged().then(() => client.confirmInterruption(lease, signal)));
    };
    this.#messages.add({ id: null, text: '', mode: 'interrupt', ...NOTHING, delivered });
  }

  #addMessage({ message_id: id = '', text = '', mode = 'queue' }: InboxItem): void {
    const { client, lease } = this.#options;
    const confirm = (state: 'delivered' | 'dropped', as?: TaskMessage['mode'] | 'prompt') => {
      this.#goOn();
      this.#confirm((signal) => client.confirmMessage(lease, id, { state, ...(as && { as }) }, signal));
    };
    const delivered = (as: TaskMessage['mode'] | 'prompt' = mode) => confirm('delivered', as);
    this.#messages.add({ id, text, mode, delivered, dropped: () => confirm('dropped') });
  }

  #confirm(send: (signal: AbortSignal) => Promise<void>): void {
    const { lease, logger, signal } = this.#options;
    retry(() => send(signal), signal).catch((error) => {
      if (signal.aborted || isLeaseLost(error)) return;
      logger.warn(`Task ${lease.task.id}: a confirmation was refused: ${messageOf(error)}`);
    });
  }

  /**
   * Ends the attempt while a person is asked; another one goes on with the answer. Resolves if there is nothing to wait
   * for any more. @throws TaskAbortError `suspended` when the fleet has it
   */
  async suspend(session?: Session): Promise<void> {
    const { client, lease, signal, onSuspended } = this.#options;
    const state = this.state === null ? undefined : this.state;
    const send = (kept: Session | undefined) =>
      retry(() => client.suspend(lease, { session: kept, state }, signal), signal);
    try {
      await send(session).catch((error) => {
        // A fleet without a key keeps no session: then this worker alone has it.
        if (!isRefused(error) || error.status !== 422 || session?.data === undefined) throw error;
        const { data: _, ...known } = session;
        return send(known);
      });
    } catch (error) {
      if (isRefused(error) && error.code === 'nothing_to_wait_for') return;
      throw error;
    }
    onSuspended();
    signal.throwIfAborted();
  }

  end(): void {
    clearTimeout(this.#holdTimer);
    this.#options.stopping.removeEventListener('abort', this.#onStop);
    this.#messages.end();
  }
}

const NOTHING = { delivered: () => {}, dropped: () => {} };
