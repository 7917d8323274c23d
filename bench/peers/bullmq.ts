// Bare BullMQ, used as documented: creates jobs, or creates, takes and completes them, for some seconds. `GET /create`
// and `GET /life`, with `?inFlight=64&seconds=2`, respond with the figures.
import { createServer } from 'node:http';
import { createTimes } from '../load/times.ts';
import { PRIORITY } from './new-task.ts';
import { openTaskQueue } from './task-queue.ts';

const TOKEN = 'worker-1';
const { queue, worker } = openTaskQueue('bare');

async function create(): Promise<void> {
  await queue.add('task', { message: 'Summarise the release' }, { priority: PRIORITY });
}

async function live(): Promise<void> {
  await create();
  const job = await worker.getNextJob(TOKEN, { block: false });
  await job?.moveToCompleted({ notes: 'Done' }, TOKEN, false);
}

/** Repeats an operation for some seconds, `inFlight` at a time. */
async function measure(operation: () => Promise<void>, inFlight: number, seconds: number) {
  const times = createTimes();
  let requests = 0;
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1_000;
  const loop = async () => {
    while (elapsed() < seconds) {
      const began = performance.now();
      await operation();
      times.add(performance.now() - began);
      requests++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return { requests, perSecond: requests / elapsed(), ...times.figures() };
}

async function handle({ pathname, searchParams }: URL): Promise<unknown> {
  if (pathname === '/ready') return queue.count();
  const [inFlight = 1, seconds = 1] = ['inFlight', 'seconds'].map((name) => Number(searchParams.get(name)));
  return await measure(pathname === '/life' ? live : create, inFlight, seconds);
}

createServer((req, res) => {
  handle(new URL(req.url ?? '', 'http://localhost')).then(
    (body) => res.end(JSON.stringify(body)),
    (error: unknown) => res.writeHead(500).end(String(error)),
  );
}).listen(Number(process.env.PORT), '127.0.0.1');
