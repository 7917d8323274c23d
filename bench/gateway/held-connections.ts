import { execFile } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { repeat } from '../fleet/client.ts';
import { type LoadRequest, toText } from '../load/load.ts';
import type { Front } from './front.ts';

export const IDLE = 10_000;
export const STREAMS = 1_000;
const WIDTH = 64;
/** Includes the gateway's upstream connections for the streams, and other files. */
const FILES_NEEDED = IDLE + 2 * STREAMS + 500;
const PAUSE_MS = 5_000;

/** Resident bytes of the gateway; undefined if the system does not allow a process so many connections. */
export type HeldConnections = { before: number; held: number } | undefined;

/** How much memory does a gateway hold for idle kept-alive connections and open event streams? */
export async function measureHeldConnections(front: Front): Promise<HeldConnections> {
  const files = await fileLimit();
  if (files < FILES_NEEDED) {
    console.log(`  a process may have ${files} open files here, and ${FILES_NEEDED} are needed: not measured`);
    return undefined;
  }
  const name = 'held';
  const port = await front.startGateway(name, 'whole');
  const before = await front.stage.residentBytes(name);
  const sockets: Socket[] = [];
  let closed = 0;
  const hold = async (request: LoadRequest, end: string) => {
    const socket = await openHeld(port, request, end);
    sockets.push(socket.on('close', () => closed++));
  };
  try {
    await repeat(STREAMS, WIDTH, () => hold(front.requests.events, ':\n\n'));
    await repeat(IDLE, WIDTH, () => hold(front.requests.small, '"}'));
    await sleep(PAUSE_MS, undefined, { signal: front.stage.signal });
    const held = await front.stage.residentBytes(name);
    if (closed > 0) throw new Error(`${closed} of ${sockets.length} connections did not stay open`);
    return { before, held };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/**
 * Opens a connection, sends the request, and resolves when a 200 response contains `end`. @throws for any other
 * response
 */
function openHeld(port: number, request: LoadRequest, end: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1').on('error', reject);
    socket.on('close', () => reject(new Error(`A connection was closed after: ${received}`)));
    socket.on('data', (part) => {
      received += part.toString('latin1');
      if (!received.startsWith('HTTP/1.1 200 ')) socket.destroy();
      if (!received.includes(end)) return;
      // The rest of the response is discarded.
      socket.removeAllListeners('data').resume();
      resolve(socket);
    });
    socket.write(toText(request));
  });
}

/** Node raises its soft limit to this hard limit. */
async function fileLimit(): Promise<number> {
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'ulimit -Hn']);
  return stdout.trim() === 'unlimited' ? Number.POSITIVE_INFINITY : Number(stdout);
}
