import { fleet } from '../../api/fleet.ts';
import { totalCount } from '../../api/total-count.ts';

/** How many tasks an agent has, of one status or of all. */
export async function readTaskCount(
  agent_id: string,
  status: string | undefined,
  signal: AbortSignal,
): Promise<number> {
  const query = { ...(status && { status }), fields: 'id', limit: 1 };
  const { response } = await fleet.get('/agents/{agent_id}/tasks', { params: { path: { agent_id }, query }, signal });
  return totalCount(response);
}
