// Runs one command on skills; with KILL_AT_STEP it kills itself before that change of the file system.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [, , cwd = '', command, ...args] = process.argv;
const killAt = Number(process.env.KILL_AT_STEP ?? Number.MAX_SAFE_INTEGER);
let step = 0;

const CHANGES = ['mkdirSync', 'writeSync', 'renameSync', 'symlinkSync', 'rmSync', 'linkSync', 'fchmodSync'] as const;
for (const name of CHANGES) {
  const original = fs[name] as (...all: unknown[]) => unknown;
  Object.assign(fs, {
    [name]: (...all: unknown[]) => {
      if (++step === killAt) process.kill(process.pid, 'SIGKILL');
      return original(...all);
    },
  });
}
syncBuiltinESMExports();

const { addSkill } = await import('../../../src/skills/operations/add.ts');
const { listInstalled } = await import('../../../src/skills/operations/installed.ts');
const { removeSkills } = await import('../../../src/skills/operations/installed.ts');
const { updateSkills } = await import('../../../src/skills/operations/upstream.ts');
const agent = args.flatMap((arg, at) => (args[at - 1] === '-a' ? [arg] : []));
const names = args.filter((arg, at) => arg !== '-a' && args[at - 1] !== '-a');
const context = {
  cwd,
  env: process.env,
  fetch,
  registry: () => {
    throw new Error('no registry is used here');
  },
  progress: () => {},
  warn: () => {},
};
if (command === 'add') await addSkill(context, names[0] ?? '', { agent });
else if (command === 'list') await listInstalled(context, false);
else if (command === 'update') await updateSkills(context, names, {});
else await removeSkills(context, names, {});
