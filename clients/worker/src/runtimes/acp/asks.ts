import { randomUUID } from 'node:crypto';
import { detailOf, type JsonObject, objectOf } from '../json.ts';
import { decisionOf } from '../questions.ts';
import type { Answer, Ask, RuntimeEvent, RuntimeJob } from '../runtime.ts';
import { decide, describeDenial, mayCall, type Outcome, toApproval, toOutcome } from './permissions.ts';

interface AsksOptions {
  job: Pick<RuntimeJob, 'permissions' | 'folders' | 'approvals'>;
  /** Tools that `read-only` allows though their kind is not to read. */
  isHarmless(toolCallId: string): boolean;
  onEvent(event: RuntimeEvent): void;
  /** Receives a call that is to be seen, as an update. */
  onCall(update: JsonObject): void;
  /** Receives what a person says to a denial: the protocol has no words for it, and some agents end their turn. */
  onWords(text: string): void;
}

/** Decides on what an agent asks: by itself, or by asking a person. */
export class AcpAsks {
  readonly #options: AsksOptions;
  readonly #waiting = new Map<string, (answer: Answer | 'withdrawn') => void>();
  #isClosed = false;

  constructor(options: AsksOptions) {
    this.#options = options;
  }

  /** Answers a `session/request_permission`. */
  async permit(params: JsonObject): Promise<Outcome> {
    const { job, isHarmless, onEvent, onCall, onWords } = this.#options;
    const isAllowed = mayCall(params, job, isHarmless);
    // Gemini CLI says only at its end that such a tool runs.
    const showCall = () => onCall({ ...objectOf(params.toolCall), sessionUpdate: 'tool_call_update' });
    if (this.#isClosed) return { outcome: 'cancelled' };
    if (isAllowed || job.approvals === 'deny') {
      const outcome = decide(params, isAllowed);
      if (isAllowed && outcome.outcome === 'selected') showCall();
      else onEvent(describeDenial(params));
      return outcome;
    }
    showCall();
    const ask = toApproval(params);
    const answer = await this.#ask(ask);
    if (answer === 'withdrawn') return { outcome: 'cancelled' };
    const { role, text } = decisionOf(ask.options, answer);
    if (role === 'deny') onEvent(describeDenial(params));
    if (role === 'deny' && text !== '') onWords(`A person has denied your call (${ask.title}): ${text}`);
    return toOutcome(params, ask.options, answer);
  }

  /** Answers an `elicitation/create`. */
  async elicit(params: JsonObject) {
    const key = `elicitation-${randomUUID()}`;
    const [title, schema] = [detailOf(params, ['message']), objectOf(params.requestedSchema)];
    const answer = this.#isClosed ? null : await this.#ask({ key, kind: 'form', title, schema });
    if (answer === 'withdrawn' || answer === null) return { action: 'cancel' as const };
    return { action: 'accept' as const, content: (answer.values ?? {}) as Record<string, string> };
  }

  #ask(ask: Ask): Promise<Answer | 'withdrawn'> {
    const { promise, resolve } = Promise.withResolvers<Answer | 'withdrawn'>();
    this.#waiting.set(ask.key, resolve);
    this.#options.onEvent({ type: 'ask', ask });
    return promise;
  }

  answer(key: string, answer: Answer): void {
    this.#waiting.get(key)?.(answer);
    this.#waiting.delete(key);
  }

  /** The turn stops. */
  withdraw(): void {
    for (const [key, resolve] of this.#waiting) {
      this.#options.onEvent({ type: 'unasked', key });
      resolve('withdrawn');
    }
    this.#waiting.clear();
  }

  close(): void {
    this.#isClosed = true;
    this.withdraw();
  }
}
