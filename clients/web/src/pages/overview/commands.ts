const HANDLER = 'clients/worker/examples/echo-handler.sh';

/** Commands for the fleet that serves this page. Their credentials are those of `npm start`, or of `fleet login`. */
export function createAgentCommand(type: string): string {
  return `npx fleet agents create 'My first agent' --type ${type} --url ${location.origin}`;
}

/** Without types, for all of them. */
export function workerCommand(types: readonly string[] = []): string {
  const flags = types.map((type) => ` --type ${type}`).join('');
  return `npx fleet worker --url ${location.origin}${flags} --exec ${HANDLER}`;
}

const RUNTIMES: Record<string, string> = { gpt: 'codex', gemini: 'gemini' };

/** A worker that is an agent, of the first of these types. */
export function agentCommand([type = '']: readonly string[] = []): string {
  return `npx fleet worker --url ${location.origin} --runtime ${RUNTIMES[type] ?? 'claude-code'}`;
}

export function addTaskCommand(agent: string): string {
  return `npx fleet tasks add ${agent} 'Say hello' --wait --url ${location.origin}`;
}

export function loginCommand(): string {
  return `npx fleet login --url ${location.origin}`;
}
