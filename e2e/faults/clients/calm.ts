/** Whether something of one kind is broken now, or was shortly before. */
export class Calm {
  #disturbances = 0;
  #sinceMs = Number.NEGATIVE_INFINITY;

  begin(): void {
    this.#disturbances++;
  }

  end(): void {
    this.#disturbances--;
    this.#sinceMs = performance.now();
  }

  /** Whether nothing has been broken since this time, in ms of `performance.now()`. */
  since(ms: number): boolean {
    return this.#disturbances === 0 && this.#sinceMs <= ms;
  }
}
