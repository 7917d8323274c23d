/** What is used of negotiator 1; the published types are those of 0.6 and lack `preferred`. */
declare module 'negotiator' {
  import type { IncomingMessage } from 'node:http';

  export default class Negotiator {
    constructor(request: Pick<IncomingMessage, 'headers'>);
    /** Those of `available` that the request accepts, best first; of equal quality in the order of `preferred`. */
    encodings(available: string[], options?: { preferred?: string[] }): string[];
  }
}
