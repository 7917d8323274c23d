import { takeSecrets } from './hidden-secrets.ts';
import { runCli } from './run.ts';

takeSecrets();
process.exit(await runCli(process.argv.slice(2), { env: process.env, mayRestart: true }));
