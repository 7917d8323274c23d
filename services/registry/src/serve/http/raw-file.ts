import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { validationError } from '@agent-fleet/shared/http/errors';
import type { BodyStreams } from './body-streams.ts';
import { negotiateCoding } from './encoding.ts';
import type { RawFile } from './representation.ts';
import { sendBody, sendNotModified, setHeaders } from './send.ts';

const CHUNK_BYTES = 64 * 1024;

/** The file of the source with this label, or of the first source. @throws 400 for an unknown label */
export function chooseFile(files: ReadonlyMap<string, RawFile>, source: string | undefined): [string, RawFile] {
  const found = [...files].find(([label]) => source === undefined || source === label);
  if (found) return found;
  const known = [...files.keys()].join(', ');
  throw validationError([{ path: 'source', code: 'invalid_value', message: `must be one of ${known}` }]);
}

/**
 * Sends a file of upstream in its stored gzip, or in br where available. A client that accepts neither gets it
 * uncompressed, a large one as a stream.
 */
export async function sendRawFile(
  req: IncomingMessage,
  res: ServerResponse,
  file: RawFile,
  lastModified: number,
  streams: BodyStreams,
): Promise<undefined> {
  const coding = negotiateCoding(req, file.br !== undefined);
  const validators = { etag: file.etagFor(coding), coding, lastModified };
  if (sendNotModified(req, res, validators)) return;
  const whole = coding === 'identity' ? file.unpacked() : file[coding];
  if (whole !== undefined) {
    sendBody(res, validators, await whole);
    return;
  }
  streams.requireRoom();
  setHeaders(res, validators);
  res.setHeader('content-length', file.bytes);
  await streams.send(req, res, Readable.from([file.gzip]), createGunzip({ chunkSize: CHUNK_BYTES }));
}
