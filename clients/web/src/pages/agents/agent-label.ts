import { safeLine } from '../../text/safe-text.ts';
import type { AgentName } from '../tasks/agent-names.ts';

/** How many characters of an id tell agents apart: it begins with a time. */
const ID_END = 8;

/** The name of an agent, or the end of its id while the name is not known. */
export function agentLabel(id: string, agent: AgentName | null | undefined): string {
  return agent ? safeLine(agent.name) : `…${id.slice(-ID_END)}`;
}
