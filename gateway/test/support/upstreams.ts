import { UPSTREAM_NAMES } from '../../src/routing/routes.ts';

/** `env` with a URL for every upstream: one that it does not name is where the agents are. */
export function withUpstreams(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(UPSTREAM_NAMES.map((name) => [`${name.toUpperCase()}_URL`, env.AGENTS_URL])), ...env };
}
