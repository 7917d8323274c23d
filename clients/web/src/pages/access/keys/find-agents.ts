/** The most agents that a key may be limited to. */
export const MAX_CHOSEN = 100;
export const SHOWN_AGENTS = 50;

interface Named {
  id: string;
  name: string;
  type: string;
}

const ID = /^[\w-]{20,64}$/;

/** Those whose name, type or id contains the text, in whatever case. */
export function findAgents<Agent extends Named>(agents: readonly Agent[], text: string): Agent[] {
  const wanted = text.trim().toLowerCase();
  return agents.filter(({ id, name, type }) => [name, type, id].some((value) => value.toLowerCase().includes(wanted)));
}

/** The text if it can be the id of an agent that is not listed. */
export function toUnlistedId(text: string, listed: ReadonlyMap<string, unknown>): string | undefined {
  const id = text.trim();
  return ID.test(id) && !listed.has(id) ? id : undefined;
}
