import type { IncomingMessage } from 'node:http';
import type { ErrorDoc } from '@agent-fleet/shared/contract/operation';
import type { BeforeOperation } from '@agent-fleet/shared/contract/router';
import { type HttpError, httpError } from '@agent-fleet/shared/http/errors';
import { AGENTS_HEADER, readCaller } from '@agent-fleet/shared/http/internal-access';
import { isId } from '@agent-fleet/shared/ids';
import { parseLeaseId } from './lease-id.ts';
import { agentNotFound, leaseNotFound } from './not-found.ts';

/** The operations on several agents: they leave out those that the caller may not see. */
const FILTERING = new Set(['listAgents', 'searchTasks', 'leaseTasks', 'listLeases', 'listEvents']);

/** The agents that the caller may see, at most 100: those of an API key that is limited to some. Undefined: all. */
export function visibleAgents(req: IncomingMessage): ReadonlySet<string> | undefined {
  if (req.headers[AGENTS_HEADER] === undefined) return undefined;
  return new Set([...(readCaller(req)?.agentIds ?? [])].filter(isId));
}

/**
 * For the router: other agents do not exist for a key that is limited to some. It may call no operation that has no
 * agent in its path and does not leave out others.
 * @throws 404 for another agent, or a lease of its tasks; 403
 */
export const requireVisible: BeforeOperation = ({ id }, { agent_id, lease_id }, req) => {
  const agents = visibleAgents(req);
  if (!agents || FILTERING.has(id)) return;
  if (agent_id !== undefined) {
    if (!agents.has(agent_id)) throw agentNotFound();
  } else if (lease_id !== undefined) {
    if (!agents.has(parseLeaseId(lease_id)?.agentId ?? '')) throw leaseNotFound();
  } else {
    throw limitedKey();
  }
};

function limitedKey(): HttpError {
  return httpError('forbidden', 'This API key is limited to some agents');
}

/** The error above in a contract. */
export const LIMITED_KEY: ErrorDoc = {
  status: 403,
  description: 'The API key is limited to some agents.',
  example: limitedKey().body,
};
