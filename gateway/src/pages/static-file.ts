import { etagOf, noneMatchHits } from '@agent-fleet/shared/http/etag';
import type { Request, Response } from 'express';

export interface StaticFile {
  /** With the dot. */
  extension: string;
  body: Buffer;
  /** The same body, coded. */
  br?: Buffer;
  gzip?: Buffer;
  /** Default `no-cache`. */
  cacheControl?: string;
  /** Content-Security-Policy of a page. */
  policy?: string;
}

export type Answer = (req: Request, res: Response) => void;

/** Answers by path, as in the route table. */
export type Pages = ReadonlyMap<string, Answer>;

const SECURITY_HEADERS = {
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** Best first. */
const CODINGS = ['br', 'gzip'] as const;

/** Answers GET and HEAD with a file in memory, in the best coding that the client accepts, or with 304. */
export function answerFile(file: StaticFile): Answer {
  const { extension, cacheControl = 'no-cache', policy } = file;
  const headers = {
    ...SECURITY_HEADERS,
    ...(policy !== undefined && { 'content-security-policy': policy }),
    'cache-control': cacheControl,
  };
  const codings = CODINGS.filter((coding) => file[coding] !== undefined);
  const bodies = {
    identity: withEtag(file.body),
    ...Object.fromEntries(codings.map((coding) => [coding, withEtag(file[coding] as Buffer)])),
  } as Record<'identity' | 'br' | 'gzip', ReturnType<typeof withEtag>>;
  return (req, res) => {
    const coding = codings.find((name) => req.acceptsEncodings(name)) ?? 'identity';
    const { body, etag } = bodies[coding];
    res.set({ ...headers, etag });
    if (codings.length > 0) res.vary('Accept-Encoding');
    if (noneMatchHits(req.headers['if-none-match'], etag)) {
      res.status(304).end();
      return;
    }
    if (coding !== 'identity') res.set('content-encoding', coding);
    res.type(extension).send(body);
  };
}

function withEtag(body: Buffer) {
  return { body, etag: etagOf(body) };
}
