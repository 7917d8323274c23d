import { at, but, type ContractCases, guarded, ofAgents, type Prepare, plainly } from '../contract-case.ts';
import { STREAM_TYPE } from '../document.ts';

/** Without Last-Event-ID nothing might come. */
const FROM_THE_FIRST = { accept: STREAM_TYPE, 'last-event-id': '0' };
const AN_EVENT = /\ndata: .*\n\n/;

const ofFleet: Prepare = () => ({ method: 'GET', path: '/events' });
const ofAgent: Prepare = ({ agent }) => ({ method: 'GET', path: `/agents/${agent.id}/events` });
const ofTask: Prepare = ({ agent, task }) => ({ method: 'GET', path: `/agents/${agent.id}/tasks/${task.id}/events` });

function eventsAt(list: Prepare): ContractCases {
  const badly: Prepare = async (world) => {
    const request = await list(world);
    return { ...request, path: `${request.path}?limit=0` };
  };
  return {
    ...ofAgents(list),
    ...guarded(list),
    200: plainly(list),
    [`200 ${STREAM_TYPE}`]: plainly(but(list, { headers: FROM_THE_FIRST, readUntil: AN_EVENT })),
    400: plainly(badly),
  };
}

export const EVENT_CASES: Record<string, ContractCases> = {
  'GET /events': eventsAt(ofFleet),
  'GET /agents/{agent_id}/events': {
    ...eventsAt(ofAgent),
    404: plainly(at('/agents/missing/events', ofAgent)),
  },
  'GET /agents/{agent_id}/tasks/{task_id}/events': {
    ...eventsAt(ofTask),
    404: plainly(at('/agents/:agent/tasks/missing/events', ofTask)),
  },
};
