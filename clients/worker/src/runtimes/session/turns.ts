import type { DeliveredAs, Message, RuntimeEvent } from '../runtime.ts';

/** What a program can be told about its turns. */
export interface TurnProgram {
  /** Begins a turn; `taken` follows when the program has the text. */
  begin(text: string, id: string): void;
  /** Adds to the running turn; `taken` or `refused` follows, or the end of the turn. */
  steer(text: string, id: string): void;
  /** Stops the running turn, whose end follows. */
  stop(): void;
}

/** A message that the program has, or will have. */
interface Sent {
  message: Message;
  as: DeliveredAs;
}

/** Orders messages by the turns of a program that runs one at a time. The first turn runs, or is about to. */
export class Turns {
  readonly #program: TurnProgram;
  /** Begin a turn each. */
  readonly #waiting: Sent[] = [];
  /** The program has not said yet that it took them. */
  readonly #sent = new Map<string, Sent>();
  #isRunning = true;
  /** The session waits at the end of this turn, whatever that is. */
  #isInterrupted = false;

  constructor(program: TurnProgram) {
    this.#program = program;
  }

  say(message: Message): void {
    const { id, text, mode } = message;
    if (!this.#isRunning) this.#begin({ message, as: 'prompt' });
    else if (mode === 'interrupt') {
      this.#waiting.unshift({ message, as: 'interrupt' });
      this.#program.stop();
    } else if (mode === 'steer' && !this.#isInterrupted) {
      this.#sent.set(id, { message, as: 'steer' });
      this.#program.steer(text, id);
    } else this.#waiting.push({ message, as: 'queue' });
  }

  interrupt(): void {
    if (!this.#isRunning) return;
    this.#isInterrupted = true;
    this.#program.stop();
  }

  *taken(id: string): Generator<RuntimeEvent> {
    const sent = this.#sent.get(id);
    if (sent && this.#sent.delete(id)) yield { type: 'delivered', id, as: sent.as };
  }

  /** The turn ends without a steered message: it begins the next one. */
  refused(id: string): void {
    const sent = this.#sent.get(id);
    if (!sent || !this.#sent.delete(id)) return;
    const first = this.#waiting.findIndex(({ as }) => as !== 'interrupt');
    this.#waiting.splice(first === -1 ? this.#waiting.length : first, 0, { ...sent, as: 'queue' });
  }

  /** The turn has ended, with `ending` where that is the end of the session too if nobody has said more. */
  *ended(ending: RuntimeEvent): Generator<RuntimeEvent> {
    // A program may say so twice, as opencode does after an interruption.
    if (!this.#isRunning) return;
    for (const id of [...this.#sent.keys()].reverse()) this.refused(id);
    const next = this.#waiting[0];
    this.#isRunning = false;
    yield { type: 'turn' };
    if (this.#isInterrupted) {
      this.#isInterrupted = false;
      yield { type: 'interrupted' };
    } else if (next !== undefined) {
      this.#waiting.shift();
      this.#begin(next);
    } else yield ending;
  }

  #begin(sent: Sent): void {
    this.#isRunning = true;
    this.#sent.set(sent.message.id, sent);
    this.#program.begin(sent.message.text, sent.message.id);
  }
}
