import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@agent-fleet/scripts/local/ports';
import type { ServiceProxyOptions } from '../../src/proxy/service-proxy.ts';
import { answerOk, own, startRawUpstreamServer, startGateway as startUnprobed } from '../proxy/proxy-fixture.ts';

export const TWO = ['127.0.0.2', '127.0.0.3'];
export const THREE = [...TWO, '127.0.0.4'];

/** Starts a service on each of the addresses, all on one port, and counts who is asked what. */
export async function startReplicas(addresses: string[], listener: RequestListener = answerOk) {
  const port = await freePort();
  const asked = new Map<string, number>(addresses.map((address) => [address, 0]));
  const start = async (address: string) =>
    (
      await startRawUpstreamServer(
        (req, res) => {
          if (req.url !== '/ready') asked.set(address, (asked.get(address) ?? 0) + 1);
          listener(req, res);
        },
        address,
        port,
      )
    ).server;
  const servers = new Map<string, Awaited<ReturnType<typeof start>>>();
  for (const address of addresses) servers.set(address, await start(address));
  const kill = (address: string) => {
    servers.get(address)?.close();
    servers.get(address)?.closeAllConnections();
  };
  const total = () => asked.values().reduce((sum, times) => sum + times, 0);
  return { url: `http://replicas.test:${port}`, asked, total, servers, kill, start };
}

/** Answers after 100 ms, so that requests are in flight whenever something happens. */
const SERVER = `
  require('node:http').createServer({ keepAliveTimeout: 75_000 }, (req, res) => {
    setTimeout(() => res.writeHead(200, { 'content-length': 2 }).end('{}'), req.url === '/ready' ? 0 : 100);
  }).listen(process.argv[2], process.argv[1], () => console.log('listening'));
`;

/** Starts a process on each of the addresses, all on one port. */
export async function startReplicaProcesses(addresses: string[]) {
  const port = await freePort();
  const processes = await Promise.all(addresses.map((address) => startProcess(address, port)));
  return { url: `http://replicas.test:${port}`, processes };
}

async function startProcess(address: string, port: number) {
  const child = spawn(process.execPath, ['-e', SERVER, address, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  own(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** A gateway that probes and resolves its replicas often. */
export function startGateway(url: string, options: Partial<ServiceProxyOptions> = {}) {
  return startUnprobed(url, { probeEveryMs: 150, refreshMs: 150, ...options });
}

/** Asks as many times at once, and gives the different statuses. */
export async function ask(origin: string, times: number, init?: RequestInit): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: times }, () => fetch(`${origin}/agents`, init)));
  await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  return [...new Set(answers.map(({ status }) => status))];
}

/** Clients that ask one after another until they are told to stop. */
export class Load {
  answered = 0;
  readonly errors: unknown[] = [];
  #goesOn = true;
  readonly #clients: Promise<void>[];

  constructor(origin: string, clients: number) {
    this.#clients = Array.from({ length: clients }, () => this.#ask(`${origin}/agents`));
  }

  /** Waits for the answers to what has been asked. */
  async stop(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#clients);
  }

  async #ask(url: string): Promise<void> {
    while (this.#goesOn) {
      try {
        const answer = await fetch(url);
        await answer.arrayBuffer();
        if (answer.status !== 200) this.errors.push(answer.status);
      } catch (error) {
        this.errors.push(error);
      }
      this.answered++;
    }
  }
}

/** An address that neither accepts nor refuses connections: a paused process with a full backlog. */
export async function startBlackHole(): Promise<string> {
  const port = await freePort();
  const listen = `require('node:net').createServer().listen({ port: ${port}, host: '127.0.0.1', backlog: 1 }, () => console.log('listening'))`;
  const child = spawn(process.execPath, ['-e', listen], { stdio: ['ignore', 'pipe', 'inherit'] });
  own(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGSTOP');
  for (let n = 0; n < 8; n++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    own(() => socket.destroy());
    await Promise.race([once(socket, 'connect'), sleep(200)]);
  }
  return `http://127.0.0.1:${port}`;
}
