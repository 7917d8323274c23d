// Creates, leases and completes tasks over HTTP with Fastify and graphile-worker, and does nothing else. Its worker
// only runs functions of its own process: a lease and a result are statements like the worker's own, one each.
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { makeWorkerUtils } from 'graphile-worker';
import { Pool } from 'pg';
import { KEPT, NEW_TASK_SCHEMA, type NewTask, PRIORITY, type Report } from './new-task.ts';

interface Row {
  id: string;
  payload: NewTask;
  created_at: Date;
}

const PRUNE_EVERY_MS = 1_000;
/** graphile-worker deletes completed jobs. */
const CREATE_TABLE = `create table ended_tasks (
  id bigint primary key, payload json, result json, created_at timestamptz, ended_at timestamptz default now())`;
const LEASE = `update graphile_worker._private_jobs set attempts = attempts + 1, locked_by = $1, locked_at = now()
  where id = (
    select id from graphile_worker._private_jobs where is_available and run_at <= now() and task_id = $2
    order by priority, run_at limit 1 for update skip locked)
  returning id, payload, created_at`;
const COMPLETE = `with ended as (
    delete from graphile_worker._private_jobs where id = $1 and locked_by = $2 returning id, payload, created_at)
  insert into ended_tasks (id, payload, result, created_at) select id, payload, $3, created_at from ended
  returning id, payload, created_at`;
const PRUNE = `delete from ended_tasks where ended_at < now() - interval '${KEPT.age} seconds'
  or id <= (select id from ended_tasks order by id desc offset ${KEPT.count} limit 1)`;

// An idle pool emits the errors of its connections: at the end, the server closes them.
const pool = new Pool().on('error', () => {});
const utils = await makeWorkerUtils({ pgPool: pool });
await utils.migrate();
await utils.addJob('task', {});
await pool.query(CREATE_TABLE);
const taskId = (await pool.query<{ id: number }>('select id from graphile_worker._private_tasks')).rows[0]?.id;
setInterval(() => void pool.query(PRUNE).catch(() => {}), PRUNE_EVERY_MS);

const server = Fastify();

server.get('/ready', () => 'ready');

server.post<{ Body: NewTask }>('/tasks', { schema: { body: NEW_TASK_SCHEMA } }, async ({ body }, reply) => {
  const { id, created_at } = await utils.addJob('task', body, { priority: PRIORITY });
  return reply.status(201).send(toTask({ id, payload: body, created_at }, 'pending'));
});

server.post('/leases', async (_request, reply) => {
  const token = randomUUID();
  const [row] = (await pool.query<Row>({ name: 'lease', text: LEASE, values: [token, taskId] })).rows;
  if (!row) return reply.status(204).send();
  return reply.status(201).send({ leases: [{ id: row.id, token, task: toTask(row, 'running') }] });
});

server.put<{ Params: { id: string }; Body: Report }>('/leases/:id/result', async ({ params: { id }, body }, reply) => {
  const values = [id, body.token, body.result];
  const [row] = (await pool.query<Row>({ name: 'complete', text: COMPLETE, values })).rows;
  if (!row) return reply.status(409).send();
  return { ...toTask(row, body.status), result: body.result };
});

function toTask({ id, payload, created_at }: Row, status: string) {
  return { id, status, message: payload.message, priority: PRIORITY, created_at };
}

await server.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
