import { type IncomingMessage, request as startRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '../load/load.ts';
import { receiveBody, sendBody } from '../upstream/body-stream.ts';
import { BODY_BYTES } from '../upstream/responses.ts';
import type { Front } from './front.ts';

const SAMPLE_EVERY_MS = 50;
const WARM_UP_SECONDS = 3;

/** Resident bytes of the gateway before a body of 1 GB, and the maximum during its transfer. */
interface Needs {
  before: number;
  peak: number;
}

export interface LargeBodies {
  download: Needs;
  upload: Needs;
}

/**
 * How much memory does the gateway use for a body of 1 GB, to a client that is slower than the service, and from a
 * client to a slower service?
 */
export async function measureLargeBodies(front: Front): Promise<LargeBodies> {
  const name = 'bodies';
  const port = await front.startGateway(name, 'whole', { MAX_BODY_BYTES: String(2 * BODY_BYTES) });
  // The warm-up makes a new process grow, so that this growth does not count for the body.
  for (const request of [front.requests.small, front.requests.large])
    await front.generator.load({ port, requests: [request], seconds: WARM_UP_SECONDS });
  const download = () => get(port, front.requests.download);
  const upload = () => post(port, front.requests.upload);
  const measure = async (transfer: () => Promise<number>): Promise<Needs> => {
    const before = await front.stage.residentBytes(name);
    const peak = await peakDuring(transfer, () => front.stage.residentBytes(name));
    console.log(`  ${(before / 1e6).toFixed(0)} MB before, at most ${(peak / 1e6).toFixed(0)} MB`);
    return { before, peak };
  };
  return { download: await measure(download), upload: await measure(upload) };
}

/** @throws if the body was not transferred completely */
async function peakDuring(transfer: () => Promise<number>, residentBytes: () => Promise<number>): Promise<number> {
  let peak = 0;
  let isOver = false;
  const watched = (async () => {
    for (; !isOver; await sleep(SAMPLE_EVERY_MS)) peak = Math.max(peak, await residentBytes());
  })();
  const transferred = transfer().finally(() => {
    isOver = true;
  });
  const [bytes] = await Promise.all([transferred, watched]);
  if (bytes !== BODY_BYTES) throw new Error(`Of ${BODY_BYTES} bytes ${bytes} came through`);
  return peak;
}

async function get(port: number, { path, headers }: LoadRequest): Promise<number> {
  const options = { port, path, headers, host: '127.0.0.1', agent: false };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    startRequest(options, resolve).on('error', reject).end();
  });
  return await receiveBody(response);
}

/** Returns the number of bytes that the upstream received. */
async function post(port: number, { method, path, headers }: LoadRequest): Promise<number> {
  const all = { ...headers, 'content-type': 'application/octet-stream', 'content-length': BODY_BYTES };
  const options = { port, method, path, headers: all, host: '127.0.0.1', agent: false };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sendBody(startRequest(options, resolve).on('error', reject));
  });
  const received = await text(response);
  if (response.statusCode !== 200) throw new Error(`POST ${path}: ${response.statusCode} ${received}`);
  return (JSON.parse(received) as { received: number }).received;
}
