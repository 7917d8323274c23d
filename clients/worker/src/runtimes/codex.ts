import { join } from 'node:path';
import { signalGroup } from '../processes/marked-processes.ts';
import { configOf, KEY_VARIABLE } from './codex-config.ts';
import { createCodexReader } from './codex-events.ts';
import { findHiddenPaths } from './hidden-paths.ts';
import { linkSkills, writeHomeFile } from './home-files.ts';
import { eventsOf } from './json-lines.ts';
import type { AttemptFolders, Runtime } from './runtime.ts';
import { setAside, withFilesBack } from './set-aside.ts';
import { isStrictSchema } from './strict-schema.ts';

const homeOf = ({ home }: AttemptFolders) => join(home, 'codex');
const SCHEMA_FILE = 'fleet-schema.json';
/** Of a repository. It tells the model of their skills, even in a folder that it does not trust. */
const PROJECT_FILES = ['.agents', '.codex'];

/** Codex, over the JSON lines of `codex exec`. */
export const codex: Runtime = {
  name: 'codex',
  agentType: 'gpt',
  program: 'codex',
  versions: { from: '0.169.0', before: '0.180.0' },
  provider: () => 'openai',

  async prepare(job) {
    const { folders, skills, outputSchema } = job;
    await setAside(folders, PROJECT_FILES);
    await writeHomeFile(folders, ['codex', 'config.toml'], configOf(job, await findHiddenPaths(folders)));
    await writeHomeFile(folders, ['codex', SCHEMA_FILE], JSON.stringify(outputSchema ?? {}));
    await linkSkills(folders, ['codex', 'skills'], skills);
  },

  command({ folders, outputSchema, session, endpoint }) {
    const args = ['exec', '--json', '--skip-git-repo-check', '--color=never', `--cd=${folders.workspace}`];
    if (isStrictSchema(outputSchema)) args.push(`--output-schema=${join(homeOf(folders), SCHEMA_FILE)}`);
    // The prompt is on stdin.
    if (session === undefined) args.push('-');
    else args.push('resume', '--', session, '-');
    return { args, env: { CODEX_HOME: homeOf(folders), ...(endpoint && { [KEY_VARIABLE]: endpoint.key }) } };
  },

  connect(process, job) {
    process.stdin.end(job.prompt);
    return {
      events: withFilesBack(eventsOf(process, createCodexReader(job)), job.folders),
      // The program may be a script that starts the real one.
      cancel: () => signalGroup(process.child.pid, 'SIGTERM'),
    };
  },
};
