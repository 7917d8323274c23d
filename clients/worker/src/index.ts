// The public API of the package.
export type { Task } from '@agent-fleet/sdk';
export type { Logger } from './availability.ts';
export { takeSecrets } from './cli/hidden-secrets.ts';
export { type CliContext, runCli } from './cli/run.ts';
export { type AbortCode, TaskAbortError, TaskError } from './errors.ts';
export type { Handler, TaskContext, Worker, WorkerOptions } from './options.ts';
export { findOnPath } from './processes/find-on-path.ts';
export { RUNTIMES } from './runtimes/catalogue.ts';
export {
  type NamedSkill,
  type PlacedSkill,
  type PlaceSkillsOptions,
  placeSkills,
  type SkillsMode,
} from './skills/place-skills.ts';
export { runWorker } from './worker.ts';
