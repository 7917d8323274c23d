import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import {
  type BrotliCompress,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  type Gzip,
  gzip,
} from 'node:zlib';
import Negotiator from 'negotiator';

/** The supported content codings, best first. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

const WITHOUT_BR: readonly Coding[] = ['gzip', 'identity'];

const MAX_REMEMBERED = 200;
const MAX_REMEMBERED_LENGTH = 200;

/** Memoizes results by header: few distinct values occur, and negotiation costs as much as the rest of a response. */
class Negotiations {
  readonly #available: readonly Coding[];
  readonly #byHeader = new Map<string, Coding>();

  constructor(available: readonly Coding[]) {
    this.#available = available;
  }

  codingFor(header: string): Coding {
    const known = this.#byHeader.get(header);
    if (known !== undefined) return known;
    const coding = this.#negotiate(header);
    if (header.length <= MAX_REMEMBERED_LENGTH && this.#byHeader.size < MAX_REMEMBERED) {
      this.#byHeader.set(header, coding);
    }
    return coding;
  }

  #negotiate(header: string): Coding {
    const available = [...this.#available];
    const negotiator = new Negotiator({ headers: { 'accept-encoding': header } });
    const [best] = negotiator.encodings(available, { preferred: available });
    return (best as Coding | undefined) ?? 'identity';
  }
}

const all = new Negotiations(CODINGS);
const withoutBr = new Negotiations(WITHOUT_BR);

/**
 * Selects the content coding (RFC 9110 section 12.5.3). At equal weight br precedes gzip, and gzip precedes identity. A
 * client that accepts none of them gets identity, which that section allows.
 */
export function negotiateCoding(req: Pick<IncomingMessage, 'headers'>, hasBr = true): Coding {
  const header = req.headers['accept-encoding'];
  if (header === undefined) return 'identity';
  return (hasBr ? all : withoutBr).codingFor(String(header));
}

/** Fastest levels, as this runs per request: 30 KB take 0.2 ms on zlib's threads. */
const LEVELS = { br: 1, gzip: 1 };

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Compresses on zlib's threads. */
export async function encode(body: Buffer, coding: Coding): Promise<Buffer> {
  if (coding === 'identity') return body;
  if (coding === 'gzip') return compressGzip(body, { level: LEVELS.gzip });
  return compressBrotli(body, { params: { ...BROTLI, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } });
}

/** The same for a streamed body; undefined for identity. */
export function createEncoder(coding: Coding): BrotliCompress | Gzip | undefined {
  if (coding === 'identity') return undefined;
  return coding === 'gzip' ? createGzip({ level: LEVELS.gzip }) : createBrotliCompress({ params: BROTLI });
}

const BROTLI = { [constants.BROTLI_PARAM_QUALITY]: LEVELS.br };
