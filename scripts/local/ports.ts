import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which systems take the local ports of outgoing connections, so that a port stays free over a
 * restart.
 */
const FIRST = 20_000;
const LAST = 32_000;
const TRIES = 100;

/**
 * A port of 127.0.0.1 on which nothing listens at this moment.
 * @throws when none of a hundred is free
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries++) {
    const port = randomInt(FIRST, LAST);
    if ((await portProblem(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error(`No free port between ${FIRST} and ${LAST}`);
}

/** A free port for each of `names`, all different. */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const ports = new Set<number>();
  while (ports.size < names.length) ports.add(await freePort());
  return Object.fromEntries(names.map((name, at) => [name, [...ports][at]])) as Record<Name, number>;
}

/** Why a server cannot listen there, as an error code such as `EADDRINUSE`; undefined when it can. */
export function portProblem(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
