// A worker in TypeScript: runs until Ctrl-C. FLEET_URL and FLEET_API_KEY say which fleet it works for.
import { runWorker } from '@agent-fleet/worker';

const worker = runWorker({
  url: process.env.FLEET_URL ?? 'http://localhost:8080',
  apiKey: process.env.FLEET_API_KEY,
  types: ['claude'],
  logger: console,
  handler: async (task, { progress, log }) => {
    log(`read the message: ${task.message}`);
    progress(50, 'half of it is done');
    return { answer: task.message.toUpperCase() };
  },
});

process.once('SIGINT', () => worker.stop());
process.once('SIGTERM', () => worker.stop());
await worker.done;
