import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@agent-fleet/scripts/local/ports';
import { own } from '@agent-fleet/scripts/testing/own';
import type { ServiceProxyOptions } from '../../src/proxy/service-proxy.ts';
import { respondOk, startProxy, startRawUpstreamServer } from './proxy.ts';

export const [FIRST, SECOND] = ['127.0.0.2', '127.0.0.3'] as const;
export const TWO: string[] = [FIRST, SECOND];
export const THREE = [...TWO, '127.0.0.4'];

/** Starts a service on each of the addresses, all on one port, and counts the requests of each. */
export async function startReplicas(addresses: string[], listener: RequestListener = respondOk) {
  const port = await freePort();
  const counts = new Map<string, number>();
  const start = async (address: string) => {
    const count: RequestListener = (req, res) => {
      if (req.url !== '/ready') counts.set(address, requestCount(address) + 1);
      listener(req, res);
    };
    const { server } = await startRawUpstreamServer(count, address, port);
    servers.set(address, server);
  };
  const requestCount = (address: string) => counts.get(address) ?? 0;
  const servers = new Map<string, Awaited<ReturnType<typeof startRawUpstreamServer>>['server']>();
  for (const address of addresses) await start(address);
  const kill = (address: string) => {
    servers.get(address)?.close();
    servers.get(address)?.closeAllConnections();
  };
  const total = () => counts.values().reduce((sum, times) => sum + times, 0);
  return { url: `http://replicas.test:${port}`, requestCount, total, servers, kill, start };
}

/** Starts a process that runs the script and prints a line when it is ready. */
export async function startScript(script: string, ...args: string[]) {
  const child = spawn(process.execPath, ['-e', script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  own(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** A proxy that probes and resolves its replicas often. */
export function startProbingProxy(url: string, addresses: string[], options: Partial<ServiceProxyOptions> = {}) {
  return startProxy(url, { probeEveryMs: 150, refreshMs: 150, resolve: async () => addresses, ...options });
}

/** Sends this many concurrent requests and returns the distinct statuses. */
export async function sendRequests(origin: string, times: number, init?: RequestInit): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: times }, () => fetch(`${origin}/agents`, init)));
  await Promise.all(responses.map((response) => response.arrayBuffer()));
  return [...new Set(responses.map(({ status }) => status))];
}

/** An address that neither accepts nor refuses connections: a paused process with a full backlog. */
export async function startBlackHole(): Promise<string> {
  const port = await freePort();
  const options = `{ port: ${port}, host: '127.0.0.1', backlog: 1 }`;
  const child = await startScript(`require('node:net').createServer().listen(${options}, () => console.log('ready'))`);
  child.kill('SIGSTOP');
  for (let n = 0; n < 8; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    own(() => socket.destroy());
    await Promise.race([once(socket, 'connect'), sleep(200)]);
  }
  return `http://127.0.0.1:${port}`;
}
