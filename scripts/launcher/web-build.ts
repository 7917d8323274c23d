import { resolve } from 'node:path';
import { startChild } from '../local/child-process.ts';
import { ROOT } from '../services.ts';

const BUILD = 'clients/web/scripts/build.ts';
const TIMEOUT_MS = 60_000;

interface WebBuildOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
  /** Default: that of clients/web. Relative to the root. */
  build?: string;
}

/** The catalogue and the console: the build of the present sources, which may be there already. */
interface WebBuild {
  /** Resolves with the folder; with undefined when there is none, which a line has explained. */
  folder: Promise<string | undefined>;
  stop(): Promise<void>;
}

/** Starts the build in a process of its own. `WEB_ROOT` replaces it. */
export function startWebBuild({ env, say, build = BUILD }: WebBuildOptions): WebBuild {
  if (env.WEB_ROOT) return { folder: Promise.resolve(env.WEB_ROOT), stop: async () => {} };
  // esbuild needs a sixth less processor time without collecting garbage (measured).
  const child = startChild(process.execPath, [resolve(ROOT, build)], {
    cwd: ROOT,
    env: { GOGC: 'off', ...env },
  });
  const timer = setTimeout(() => void child.kill(), TIMEOUT_MS);
  let isStopping = false;
  const readFolder = async () => {
    const { code, reason } = await child.closed.finally(() => clearTimeout(timer));
    if (code === 0) return child.written.stdout.trim();
    throw new Error(problemIn(child.written.stderr) ?? reason);
  };
  const folder = readFolder().catch((error: Error) => {
    if (!isStopping) say(`The fleet starts without web pages: ${error.message} (${build})`);
    return undefined;
  });
  return {
    folder,
    async stop() {
      isStopping = true;
      await child.kill();
    },
  };
}

function problemIn(stderr: string): string | undefined {
  const lines = stderr.split('\n').map((line) => line.trim());
  return lines.find((line) => /\[ERROR\]|^\w*Error:/.test(line)) ?? lines.find((line) => line !== '');
}
