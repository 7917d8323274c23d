import { detailError, HttpError, httpError, overloaded, unavailable } from '@agent-fleet/shared/http/errors';
import { isInternalAddress } from '@agent-fleet/shared/http/internal-addresses';
import { LRUCache } from 'lru-cache';
import { withoutCredentials } from '../../fetch/exchange.ts';
import { createHttpReader } from '../../fetch/http-reader.ts';
import type { Validator } from '../../fetch/source-reader.ts';
import type { Skill } from '../../skills/skill.ts';
import { guessSkillFile, locateSkillFile } from '../../skills/skill-file.ts';
import { type SourceDocument, unpackDocument } from '../../source/document.ts';
import { UpstreamError } from '../../source/errors.ts';
import type { Served } from '../served.ts';

const LIMITS = { deadlineMs: 10_000, maxBytes: 256 * 1024 };
const MAX_FETCHES = 16;
const MAX_CONTENT_BYTES = 32 * 1024 * 1024;
const MAX_CONTENTS = 5_000;
const MAX_ADDRESSES = 10_000;
const REVALIDATE_MS = 5 * 60_000;
/** How long a failure is remembered. */
const RETRY_MS = 30_000;

/** A SKILL.md as it was fetched. */
export interface SkillFile {
  bytes: Buffer;
  /** SHA-256 in hex. */
  digest: string;
  /** When this content was last fetched anew, in milliseconds. */
  fetchedAt: number;
}

/** What is known of an address: the digest of its file, or why it could not be fetched. */
interface CachedAddress {
  /** It is not requested again before this time. */
  validUntil: number;
  digest?: string;
  validator?: Validator;
  error?: HttpError;
}

export interface SkillFilesOptions {
  /** Whether files may have an address of a private network. */
  allowsPrivate: boolean;
  /** Fires when the service stops. */
  signal: AbortSignal;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Fetches SKILL.md files from where skills live, at most sixteen at a time, and keeps 32 MiB of them. Requests for the
 * same file share one fetch. A file is revalidated after five minutes; while that fails, its last content is served.
 */
export class SkillFiles {
  readonly #options: SkillFilesOptions;
  readonly #contents = new LRUCache<string, SkillFile>({
    max: MAX_CONTENTS,
    maxSize: MAX_CONTENT_BYTES,
    // lru-cache requires a size above 0.
    sizeCalculation: ({ bytes }) => Math.max(bytes.length, 1),
  });
  readonly #addresses = new LRUCache<string, CachedAddress>({ max: MAX_ADDRESSES });
  readonly #fetches = new Map<string, Promise<SkillFile>>();

  constructor(options: SkillFilesOptions) {
    this.#options = options;
  }

  /**
   * The SKILL.md of a skill. Content with the digest that the skill declares is not fetched if the snapshot has it, or
   * fetched again.
   * @throws 404 with `detail`, 502 `upstream_error`, 503 `overloaded` or `unavailable`, 504 `upstream_timeout`
   */
  async read(
    skill: Pick<Skill, 'name' | 'source' | 'digest' | 'digest_of'>,
    { skillFiles, meta }: Pick<Served, 'skillFiles' | 'meta'>,
  ): Promise<SkillFile> {
    const declared = declaredDigest(skill) ?? '';
    const shipped = skillFiles.get(declared);
    if (shipped) return toFile(shipped, meta.at);
    const known = this.#contents.get(declared);
    if (known) return known;
    return this.#readFrom(requirePlace(skill));
  }

  #readFrom(address: string): Promise<SkillFile> {
    const cached = this.#addresses.get(address);
    const file = cached?.digest === undefined ? undefined : this.#contents.get(cached.digest);
    if (cached && this.#options.now() < cached.validUntil) {
      if (file) return Promise.resolve(file);
      if (cached.error) throw cached.error;
    }
    const running = this.#fetches.get(address);
    if (running) return running;
    if (this.#fetches.size >= MAX_FETCHES)
      throw overloaded('Too many files are being fetched; try again', 'file_fetches');
    const fetching = this.#fetch(address, file, cached?.validator).finally(() => this.#fetches.delete(address));
    this.#fetches.set(address, fetching);
    return fetching;
  }

  async #fetch(address: string, known: SkillFile | undefined, validator: Validator | undefined): Promise<SkillFile> {
    const { allowsPrivate, signal, now } = this.#options;
    try {
      const url = withoutCredentials(new URL(address));
      const reader = createHttpReader({ url, mayBeInternal: allowsPrivate }, isInternalAddress);
      const fetched = await reader.read(reader.root, known && validator, LIMITS, signal);
      // A page that asks to sign in, or a page about the file.
      if (fetched.isHtml) throw notFound();
      const file = fetched.document ? toFile(fetched.document, now()) : (known as SkillFile);
      this.#contents.set(file.digest, file);
      const { digest } = file;
      this.#addresses.set(address, { digest, validator: fetched.validator, validUntil: now() + REVALIDATE_MS });
      return file;
    } catch (error) {
      const answer = toAnswer(error);
      const validUntil = now() + RETRY_MS;
      if (known && answer.status !== 404) {
        this.#addresses.set(address, { digest: known.digest, validator, validUntil });
        return known;
      }
      this.#addresses.set(address, { error: answer, validUntil });
      throw answer;
    }
  }
}

/** The address of its SKILL.md. @throws 404 with `detail` */
export function requirePlace(skill: Pick<Skill, 'name' | 'source'>): string {
  const address = locateSkillFile(skill.source) ?? guessSkillFile(skill);
  if (address === undefined) throw notFound();
  return address;
}

/** The SHA-256 in hex of the SKILL.md, if the source of the skill declares it. */
export function declaredDigest({ digest, digest_of }: Pick<Skill, 'digest' | 'digest_of'>): string | undefined {
  return digest_of === 'skill_md' ? digest?.replace(/^sha256:/, '') : undefined;
}

function toFile(document: SourceDocument, now: number): SkillFile {
  return { bytes: unpackDocument(document), digest: document.digest, fetchedAt: now };
}

function notFound(): HttpError {
  return detailError(404, 'SKILL.md not found');
}

const MISSING: ReadonlySet<number | undefined> = new Set([401, 403, 404, 410, 451]);

/** The response to a request whose file could not be fetched. A private address is as if it were unknown. */
function toAnswer(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (!(error instanceof UpstreamError)) return unavailable('The SKILL.md cannot be fetched now', 1, error, 'source');
  const { code, message, status, retryAfterMs } = error;
  if (code === 'private_address' || MISSING.has(status)) return notFound();
  const options = { cause: error, rejectedBy: 'source' };
  if (code === 'timeout') return httpError('upstream_timeout', `The SKILL.md cannot be fetched: ${message}`, options);
  if (code !== 'rate_limited')
    return httpError('upstream_error', `The SKILL.md cannot be fetched: ${message}`, options);
  const seconds = Math.max(1, Math.ceil((retryAfterMs ?? RETRY_MS) / 1_000));
  return unavailable(`The SKILL.md cannot be fetched: ${message}`, seconds, error, 'source');
}
