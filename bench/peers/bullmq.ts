// Bare BullMQ, used as documented, over one connection: adds jobs, or takes and completes them, for some seconds. `GET
// /add` and `GET /finish`, with `?queues=1&inFlight=64&seconds=2`, respond with the figures.
import { createServer } from 'node:http';
import { createRedisBackend, Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { createTimes } from '../load/times.ts';

const TOKEN = 'worker-1';
/** The same retention of ended tasks as in the agents service. */
const KEPT = { count: 10_000, age: 604_800 };
/** Jobs to add per second of `finish`, more than it can complete. */
const FINISHED_PER_SECOND = 20_000;

const { PORT, REDIS_URL = '' } = process.env;
const connection = new Redis(REDIS_URL, { maxRetriesPerRequest: null });

/** Queues with one worker each; operations use them in turn. */
class Queues {
  readonly #all: { queue: Queue; worker: Worker }[];
  #added = 0;
  #finished = 0;

  constructor(count: number) {
    this.#all = Array.from({ length: count }, (_, at) => {
      const name = `${count}-${at}`;
      // Each worker would open another connection to wait for jobs. No worker waits here.
      const options = { connection, autorun: false, removeOnComplete: KEPT };
      const worker = new Worker(name, null, options, (of, own) => createRedisBackend(of, own));
      return { queue: new Queue(name, { connection }), worker };
    });
  }

  get waiting(): number {
    return this.#added - this.#finished;
  }

  readonly add = async (): Promise<void> => {
    await this.#turn(this.#added++).queue.add('task', { message: 'Summarise the release' }, { priority: 5 });
  };

  readonly finish = async (): Promise<void> => {
    const job = await this.#turn(this.#finished++).worker.getNextJob(TOKEN, { block: false });
    if (!job) throw new Error('No job waits');
    await job.moveToCompleted({ notes: 'Done' }, TOKEN, false);
  };

  #turn(number: number) {
    return this.#all[number % this.#all.length] as { queue: Queue; worker: Worker };
  }
}

const opened = new Map<number, Queues>();

function open(count: number): Queues {
  const queues = opened.get(count) ?? new Queues(count);
  opened.set(count, queues);
  return queues;
}

/** Repeats an operation, `inFlight` at a time, while `shouldContinue()` is true. */
async function repeat(operation: () => Promise<void>, inFlight: number, shouldContinue: () => boolean) {
  const times = createTimes();
  let requests = 0;
  const loop = async () => {
    while (shouldContinue()) {
      const began = performance.now();
      await operation();
      times.add(performance.now() - began);
      requests++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return { requests, ...times.figures() };
}

async function measure(operation: () => Promise<void>, inFlight: number, seconds: number) {
  const start = performance.now();
  const figures = await repeat(operation, inFlight, () => performance.now() - start < seconds * 1_000);
  return { ...figures, perSecond: (figures.requests / (performance.now() - start)) * 1_000 };
}

async function handle(url: URL): Promise<unknown> {
  const [count = 1, inFlight = 1, seconds = 1] = ['queues', 'inFlight', 'seconds'].map((name) =>
    Number(url.searchParams.get(name)),
  );
  if (url.pathname === '/') return connection.ping();
  const queues = open(count);
  if (url.pathname === '/add') return measure(queues.add, inFlight, seconds);
  await repeat(queues.add, inFlight, () => queues.waiting < seconds * FINISHED_PER_SECOND);
  return measure(queues.finish, inFlight, seconds);
}

createServer((req, res) => {
  handle(new URL(req.url ?? '', 'http://localhost')).then(
    (body) => res.end(JSON.stringify(body)),
    (error: unknown) => res.writeHead(500).end(String(error)),
  );
}).listen(Number(PORT), '127.0.0.1');
