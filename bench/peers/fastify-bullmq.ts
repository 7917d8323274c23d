// Creates, leases and completes tasks over HTTP with Fastify and BullMQ, and does nothing else.
import { randomUUID } from 'node:crypto';
import { Job } from 'bullmq';
import Fastify from 'fastify';
import { NEW_TASK_SCHEMA, type NewTask, PRIORITY, type Report } from './new-task.ts';
import { openTaskQueue } from './task-queue.ts';

const { queue, worker } = openTaskQueue('over-http');
/** Jobs that this process has leased, by id. BullMQ checks the token all the same. */
const leased = new Map<string, Job>();
const server = Fastify();

server.get('/ready', () => queue.count());

server.post<{ Body: NewTask }>('/tasks', { schema: { body: NEW_TASK_SCHEMA } }, async ({ body }, reply) => {
  const job = await queue.add('task', body, { priority: PRIORITY });
  return reply.status(201).send(toTask(job, 'pending'));
});

server.post('/leases', async (_request, reply) => {
  const token = randomUUID();
  const job = await worker.getNextJob(token, { block: false });
  if (!job?.id) return reply.status(204).send();
  leased.set(job.id, job);
  return reply.status(201).send({ leases: [{ id: job.id, token, task: toTask(job, 'running') }] });
});

server.put<{ Params: { id: string }; Body: Report }>('/leases/:id/result', async ({ params: { id }, body }, reply) => {
  const job = leased.get(id) ?? (await Job.fromId(queue, id));
  if (!job) return reply.status(404).send();
  leased.delete(id);
  await job.moveToCompleted(body.result, body.token, false);
  return { ...toTask(job, body.status), result: body.result };
});

function toTask({ id, data, timestamp }: Job<NewTask>, status: string) {
  return { id, status, message: data.message, priority: PRIORITY, created_at: new Date(timestamp).toISOString() };
}

await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
