import type { Credential } from '../../harness/http-client.ts';

/** Without a comment for so long, the stream is lost. */
const SILENT_MS = 20_000;
/** Rare ones: only the end of the stream counts. */
const PATH = '/events?types=agent.deleted';

/** An event stream of a credential at one gateway, until it ends, however that is. */
export class OpenStream {
  isOpen = true;
  readonly #abort = new AbortController();

  constructor(gatewayUrl: string, as: Credential) {
    void this.#read(`${gatewayUrl}${PATH}`, as)
      .catch(() => undefined)
      .finally(() => {
        this.isOpen = false;
      });
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(url: string, as: Credential): Promise<void> {
    const { signal } = this.#abort;
    const lost = setTimeout(() => this.close(), SILENT_MS);
    try {
      const { body } = await fetch(url, { headers: { accept: 'text/event-stream', ...as }, signal });
      for await (const _part of body ?? []) lost.refresh();
    } finally {
      clearTimeout(lost);
    }
  }
}
