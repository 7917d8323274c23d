/** Topics of the wakeups of waiting workers: tasks of an agent, or of a type, have become ready. */
export const agentTopic = (agentId: string) => `agent:${agentId}`;
export const typeTopic = (type: string) => `type:${type}`;

/** The same for tasks that are reserved for a worker, whose id is percent-encoded. */
export const reservedTopic = (topic: string, worker: string) => `${topic} ${worker}`;
