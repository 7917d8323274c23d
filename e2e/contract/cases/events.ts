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

export const EVENT_CASES: Record<string, ContractCases> = {
  'GET /events': eventsAt(''),
  'GET /agents/{agent_id}/events': eventsAt('/agents/:agent', '/agents/missing'),
  'GET /agents/{agent_id}/tasks/{task_id}/events': eventsAt(
    '/agents/:agent/tasks/:task',
    '/agents/:agent/tasks/missing',
  ),
};
