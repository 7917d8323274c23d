import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../sandbox.ts';

const LIBRARY = '/run/clock.so';

/** The wall clock of one process, which can be moved while its timers go on. */
export class ProcessClock {
  /** For the process. */
  readonly env: NodeJS.ProcessEnv;
  readonly #file: string;

  constructor(name: string) {
    this.#file = `/run/clock-${name}`;
    this.env = { LD_PRELOAD: LIBRARY, CLOCK_FILE: this.#file };
    this.set(0);
  }

  static buildLibrary(): void {
    run('gcc', '-O2', '-shared', '-fPIC', '-o', LIBRARY, join(import.meta.dirname, 'clock.c'));
  }

  /** Seconds ahead of the machine's clock. */
  set(seconds: number): void {
    writeFileSync(this.#file, String(seconds));
  }
}
