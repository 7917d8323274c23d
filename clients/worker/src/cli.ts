import { takeSecrets } from './cli/hidden-secrets.ts';
import { runCli } from './run-cli.ts';

takeSecrets();
process.exit(await runCli(process.argv.slice(2), { env: process.env, mayRestart: true }));
