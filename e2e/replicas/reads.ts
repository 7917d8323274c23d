import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, HttpClient } from '../harness/http-client.ts';
import type { System } from '../harness/system.ts';

const READERS = 24;
const WAITERS = 8;
/** Constant, not all that is possible: that would measure the machine. */
const PAUSE_MS = 30;
const READ_DEADLINE_MS = 10_000;
/** A poll that was under way at a replica that hangs begins again at another. */
const WAIT_SECONDS = 2;
const WAIT_DEADLINE_MS = READ_DEADLINE_MS + WAIT_SECONDS * 1_000;

/** A GET that was not answered with 200. */
export interface FailedRead {
  client: number;
  path: string;
  /** `503 {…}`, or the code of the error. */
  problem: string;
}

/** What is read: agents by id and in a list, and tasks that do not end, which are waited for. */
export interface Readable {
  paths: readonly string[];
  waitPath: string;
}

/** Clients that read without end, each over one connection that is kept, a quarter of them by long polls. */
export class Reads {
  count = 0;
  waits = 0;
  /** Of those that do not wait. */
  slowestMs = 0;
  readonly failed: FailedRead[] = [];
  readonly #running: Promise<unknown>;
  #stopped = false;

  constructor({ baseUrl, apiKey }: System, { paths, waitPath }: Readable) {
    const wait = async (http: HttpClient, client: number) => {
      await this.#read(http, client, `${waitPath}?wait=${WAIT_SECONDS}`, WAIT_DEADLINE_MS);
      this.waits++;
    };
    const read = async (http: HttpClient, client: number, turn: number) => {
      const began = performance.now();
      await this.#read(http, client, paths[(client + turn) % paths.length] as string, READ_DEADLINE_MS);
      this.count++;
      this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
      await sleep(PAUSE_MS);
    };
    const run = async (client: number) => {
      const http = new HttpClient(baseUrl, { apiKey, token: () => Promise.reject(new Error('No token is asked for')) });
      const once = client < WAITERS ? wait : read;
      for (let turn = 0; !this.#stopped; turn++) await once(http, client, turn);
      http.close();
    };
    this.#running = Promise.all(Array.from({ length: READERS + WAITERS }, (_, client) => run(client)));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #read(http: HttpClient, client: number, path: string, deadlineMs: number): Promise<void> {
    const problem = await http.call('GET', path, { deadlineMs }).then(problemOf, codeOf);
    if (problem === undefined) return;
    this.failed.push({ client, path, problem });
    await sleep(PAUSE_MS);
  }
}

function problemOf({ status, text }: Answer): string | undefined {
  return status === 200 ? undefined : `${status} ${text.slice(0, 200)}`;
}

function codeOf(error: NodeJS.ErrnoException): string {
  return error.code ?? error.name;
}
