import { pathOf } from '../../harness/api.ts';
import { expectStatus } from '../../harness/http-client.ts';
import { type ContractCases, ofAgents, type Prepare } from '../contract-case.ts';
import { STREAM_TYPE } from '../document.ts';

/** Without Last-Event-ID the stream could stay empty. */
const STREAM = { headers: { accept: STREAM_TYPE, 'last-event-id': '0' }, readUntil: /\ndata: .*\n\n/ };

function eventsAt(prefix: string, missing?: string): ContractCases {
  const list: Prepare = ({ agent, task }) => {
    return { method: 'GET', path: `${prefix.replace(':agent', agent.id).replace(':task', task.id)}/events` };
  };
  const badly: Prepare = async (world) => ({ method: 'GET', path: `${(await list(world)).path}?limit=0` });
  const variants = { 200: list, [`200 ${STREAM_TYPE}`]: STREAM, 400: badly };
  return ofAgents(list, missing === undefined ? variants : { ...variants, 404: `${missing}/events` });
}

const readLog: Prepare = async ({ api }) => {
  const { id, token, task } = await api.createRunning((await api.createAgent()).id);
  const body = { token, entries: [{ text: 'Reading' }, { level: 'warn', stream: 'stderr', text: '' }] };
  expectStatus(await api.call('POST', `/leases/${id}/log-entries`, { body }), 204);
  return { method: 'GET', path: `${pathOf(task)}/log-entries` };
};
const readLogBadly: Prepare = async (world) => {
  const { method, path } = await readLog(world);
  return { method, path: `${path}?limit=0` };
};

export const EVENT_CASES: Record<string, ContractCases> = {
  'GET /events': eventsAt(''),
  'GET /agents/{agent_id}/events': eventsAt('/agents/:agent', '/agents/missing'),
  'GET /agents/{agent_id}/tasks/{task_id}/events': eventsAt(
    '/agents/:agent/tasks/:task',
    '/agents/:agent/tasks/missing',
  ),
  'GET /agents/{agent_id}/tasks/{task_id}/log-entries': ofAgents(readLog, {
    200: readLog,
    [`200 ${STREAM_TYPE}`]: STREAM,
    400: readLogBadly,
    404: '/agents/:agent/tasks/missing/log-entries',
  }),
};
