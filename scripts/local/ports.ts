import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which systems take the local ports of outgoing connections, so that a port stays free over a
 * restart.
 */
const FIRST = 20_000;
const LAST = 32_000;
const TRIES = 100;
/** Each parallel process of a test run has a part of the range, as a port is used some time after it was found free. */
const PARTS = 4;
/** A port is given again after so many others: until then, who was given it may not listen yet. */
const MAX_GIVEN = 1_000;
/** In the order in which they were given. */
const given = new Set<number>();
const reserved = new Set<number>();

/**
 * A port of 127.0.0.1 on which nothing listens at this moment; the same one again after a thousand calls at the
 * earliest.
 * @throws when none of a hundred is free
 */
export async function freePort(): Promise<number> {
  const [first, last] = range(process.env.JEST_WORKER_ID);
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(first, last);
    if (reserved.has(port) || given.has(port)) continue;
    remember(port);
    if ((await portProblem(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error(`No free port between ${first} and ${last}`);
}

function remember(port: number): void {
  given.add(port);
  const [oldest = port] = given;
  if (given.size > MAX_GIVEN) given.delete(oldest);
}

function range(testProcess: string | undefined): [first: number, end: number] {
  if (testProcess === undefined) return [FIRST, LAST];
  const size = (LAST - FIRST) / PARTS;
  const first = FIRST + (Number(testProcess) % PARTS) * size;
  return [first, first + size];
}

/** Keeps a port that this process will use from being given to anything else. */
export function reservePort(port: number): void {
  reserved.add(port);
}

/** A free port for each of `names`, all different. */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const ports = await Promise.all(names.map(async (name) => [name, await freePort()] as const));
  return Object.fromEntries(ports) as Record<Name, number>;
}

/** Why a server cannot listen there, as an error code such as `EADDRINUSE`; undefined when it can. */
export function portProblem(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
