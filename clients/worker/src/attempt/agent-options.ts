import type { AskServer } from '../ask-server.ts';
import type { Logger } from '../availability.ts';
import type { ModelProxy } from '../proxy/model-proxy.ts';
import type { Permissions, Runtime, RuntimeJob } from '../runtimes/runtime.ts';
import type { SkillsMode } from '../skills/place-skills.ts';
import type { KeepRule } from './folders/sweep.ts';

/** How a worker has agents work on tasks. */
export interface AgentOptions {
  runtime: Runtime;
  /** Path of the runtime's program. */
  program: string;
  /** For tasks that name none. */
  model: string | undefined;
  permissions: Permissions;
  /** Whether people may permit what `permissions` does not. */
  approvals: RuntimeJob['approvals'];
  keep: KeepRule;
  /** Prefixes of the repositories that tasks may name; none: tasks with a workspace fail. */
  repositories: readonly string[];
  /** Names of the worker's variables that agents get. */
  passEnv: readonly string[];
  /** Programs that definitions may start as MCP servers. */
  mcpCommands: readonly string[];
  /** The value of a secret that definitions name; undefined for one that the worker does not have. */
  secretOf(name: string): string | undefined;
  /** In USD for one task. */
  maxCost: number | undefined;
  idleSeconds: number;
  skills: SkillsMode;
  /** The folder of all attempts. */
  base: string;
  /** The worker's own environment. */
  env: NodeJS.ProcessEnv;
  /** The fleet, which has the registry of skills too. */
  url: string;
  /** Of the worker for the fleet, now; kept out of all output. */
  credentials(): Promise<{ headers: Record<string, string>; secret: string | undefined }>;
  /** See `Watchdog`. */
  workerMark: string;
  logger: Logger;
  proxy: Pick<ModelProxy, 'open' | 'limitedUntil'>;
  /** Keys that no output may show, besides those of `env`. */
  secrets: readonly string[];
  /** Serves the tool that asks people, where a runtime has none. */
  asks: Pick<AskServer, 'open'>;
}
