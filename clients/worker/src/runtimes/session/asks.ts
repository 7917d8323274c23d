import type { Answer, Ask, RuntimeEvent } from '../runtime.ts';

interface Open<Asker> {
  asker: Asker;
  reply(answer: Answer): void;
}

/** What a program waits for people to answer, by the keys. `Asker` is how the program names its own question. */
export class Asks<Asker> {
  readonly #open = new Map<string, Open<Asker>>();

  /** @param reply tells the program the answer */
  ask(ask: Ask, asker: Asker, reply: (answer: Answer) => void): RuntimeEvent {
    this.#open.set(ask.key, { asker, reply });
    return { type: 'ask', ask };
  }

  answer(key: string, answer: Answer): void {
    const open = this.#open.get(key);
    if (open && this.#open.delete(key)) open.reply(answer);
  }

  askers(): Asker[] {
    return [...this.#open.values()].map(({ asker }) => asker);
  }

  /** The program no longer waits for these; default: for any. */
  *withdraw(isMeant: (asker: Asker) => boolean = () => true): Generator<RuntimeEvent> {
    for (const [key, { asker }] of this.#open) {
      if (isMeant(asker) && this.#open.delete(key)) yield { type: 'unasked', key };
    }
  }
}
