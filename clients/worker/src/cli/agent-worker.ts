import { startAskServer } from '../ask-server.ts';
import { createAgentHandler } from '../attempt/agent-handler.ts';
import { PROVIDER_VARIABLES } from '../attempt/environment.ts';
import { type BaseFolder, openBaseFolder } from '../attempt/folders/base-folder.ts';
import type { Logger } from '../availability.ts';
import { messageOf } from '../errors.ts';
import { type ModelProxyOptions, startModelProxy } from '../proxy/model-proxy.ts';
import { readPrices } from '../proxy/prices.ts';
import type { AgentCli, CliOptions } from './options.ts';
import { checkProgram, UsageError } from './program.ts';

/** Where the providers are, unless the worker's environment says otherwise. */
const BASE_URLS = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com',
} as const;

interface AgentWorkerOptions {
  agent: AgentCli;
  cli: Pick<CliOptions, 'url' | 'apiKey' | 'token'>;
  env: NodeJS.ProcessEnv;
  workerMark: string;
  logger: Logger;
}

export type AgentWorker = Awaited<ReturnType<typeof startAgentWorker>>;

/** Checks what every task needs, then prepares to work on tasks. @throws UsageError */
export async function startAgentWorker(options: AgentWorkerOptions) {
  const { agent, cli, env, workerMark, logger } = options;
  const warning = await checkProgram(agent.runtime, agent.program, env);
  if (warning !== undefined) logger.warn(warning);
  const prices = await pricesOf(agent.prices);
  const base = openBase(agent.workspaces);
  const proxy = await startModelProxy({
    upstreams: upstreamsOf(env, agent.providerKeys),
    prices,
    onError: (line) => logger.error(line),
  });
  const { path: basePath, workerId, unlock } = base;
  const asks = await startAskServer();
  const agents = createAgentHandler({
    ...agent,
    base: basePath,
    secrets: agent.providerKeys.map(({ key }) => key),
    ...{ env, workerMark, logger, proxy, asks, url: cli.url },
    credentials: () => credentialsOf(cli),
  });
  await agents.sweep();
  return {
    handler: agents.handler,
    workerId,
    pauses: () => proxy.pauses(),
    /** Kills all programs, and lets other workers have the folder. */
    exit: () => {
      agents.killAll();
      unlock();
    },
    async close() {
      await agents.close();
      await proxy.close();
      asks.close();
      unlock();
    },
  };
}

async function pricesOf(path: string | undefined) {
  try {
    return await readPrices(path);
  } catch (error) {
    throw new UsageError(`--prices: ${messageOf(error)}`);
  }
}

function openBase(folder: string): BaseFolder {
  try {
    return openBaseFolder(folder);
  } catch (error) {
    throw new UsageError(`--workspaces: ${messageOf(error)}`);
  }
}

/** Of each provider of which the worker has keys. */
function upstreamsOf(env: NodeJS.ProcessEnv, files: AgentCli['providerKeys']): ModelProxyOptions['upstreams'] {
  const entries = Object.entries(PROVIDER_VARIABLES).flatMap(([provider, variables]) => {
    const keys = [env[variables.key], ...files.filter((one) => one.provider === provider).map(({ key }) => key)];
    const baseUrl = env[variables.baseUrl] || BASE_URLS[provider as keyof typeof BASE_URLS];
    const upstreams = keys.flatMap((key) => (key ? [{ baseUrl, key }] : []));
    return upstreams.length > 0 ? [[provider, upstreams] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** A user's token changes while the worker runs. */
async function credentialsOf({ apiKey, token }: AgentWorkerOptions['cli']) {
  if (apiKey !== undefined) return { headers: { 'X-API-Key': apiKey }, secret: apiKey };
  const secret = typeof token === 'function' ? await token() : token;
  const headers: Record<string, string> = secret === undefined ? {} : { Authorization: `Bearer ${secret}` };
  return { headers, secret };
}
