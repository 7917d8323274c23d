import type { Command } from 'commander';
import { type Act, type Context, credentialsOf } from '../context.ts';
import { type ExitCode, usageError } from '../errors.ts';

/** The worker reads its own options; the connection comes from those of `fleet`. */
export function registerWorkerWith(args: readonly string[]) {
  return (command: Command, act: Act): void => {
    command.action(
      act(async ({ connection, env, options }: Context): Promise<ExitCode> => {
        if (options.json !== undefined) throw usageError('A worker prints no data', 'Leave --json out.');
        if (options.timeout !== undefined)
          throw usageError('A worker runs until it is stopped', 'Leave --timeout out.');
        const { runCli, takeSecrets } = await import('@agent-fleet/worker');
        takeSecrets();
        const { url, apiKey, token } = credentialsOf(connection());
        const worker = { ...env, FLEET_URL: url, FLEET_API_KEY: apiKey };
        return (await runCli([...args], { env: worker, name: 'fleet worker', token, mayRestart: true })) as ExitCode;
      }),
    );
  };
}
