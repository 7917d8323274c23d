import { Agent, request } from 'undici';
import { lookupPublic, parsePublicUrl } from './public-urls.ts';

/** Real documents have less than 50 kB, with certificates. */
const MAX_BYTES = 256 * 1024;

/** @throws Error unless the response is 200 with JSON of at most 256 KiB; redirects are not followed */
export type FetchJson = (url: string, signal: AbortSignal) => Promise<unknown>;

/** Reads JSON from public https hosts only, unless `allowInsecure`. */
export function createJsonFetcher({ allowInsecure }: { allowInsecure: boolean }) {
  // `pipelining: 0` is without keep-alive: requests are minutes apart, and each looks the name up anew.
  const agent = new Agent({ connect: allowInsecure ? {} : { lookup: lookupPublic }, pipelining: 0 });
  const fetchJson: FetchJson = async (url, signal) => {
    const { href } = parsePublicUrl(url, { allowInsecure });
    // Without compression: a small response cannot become a large one.
    const headers = { accept: 'application/json', 'accept-encoding': 'identity' };
    const { statusCode, body } = await request(href, { dispatcher: agent, signal, headers });
    if (statusCode === 200) return JSON.parse(await readText(body, url));
    await body.dump({ limit: MAX_BYTES, signal });
    throw new Error(`${url} responded with ${statusCode}`);
  };
  return {
    fetchJson,
    /** Aborts what is in flight. */
    close: () => agent.destroy(),
  };
}

async function readText(body: AsyncIterable<Buffer>, url: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error(`${url} is larger than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
