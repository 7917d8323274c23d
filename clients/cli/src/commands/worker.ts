import type { Command } from 'commander';
import type { Act } from '../command.ts';
import type { Context } from '../context.ts';
import type { ExitCode } from '../errors.ts';
import { createUserToken } from '../settings/user-token.ts';

/** The worker reads its own options; the connection comes from those of `fleet`. */
export function registerWorkerWith(args: readonly string[]) {
  return (command: Command, act: Act): void => {
    command.action(
      act(async ({ connection, env }: Context): Promise<ExitCode> => {
        const { runCli } = await import('@agent-fleet/worker');
        const { url, apiKey, token, profile } = connection();
        const stored = profile?.value;
        const userToken = profile && !stored?.api_key ? createUserToken(url, profile) : undefined;
        const worker = { ...env, FLEET_URL: url, FLEET_API_KEY: apiKey ?? stored?.api_key };
        return (await runCli([...args], { env: worker, name: 'fleet worker', token: token ?? userToken })) as ExitCode;
      }),
    );
  };
}
