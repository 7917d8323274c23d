import { FleetError } from '@agent-fleet/sdk';
import { duration } from '@agent-fleet/sdk/words';
import type { Command } from 'commander';
import type { Act, Context } from '../context.ts';
import { EXIT, type ExitCode } from '../errors.ts';
import { readSession } from '../lookup.ts';
import { countsText, spentFields } from '../output/words.ts';

async function status(context: Context): Promise<ExitCode | undefined> {
  const { out, connection } = context;
  const { url, source } = connection();
  const { readiness, isReady } = await readReadiness(context, url);
  const credentials = source !== 'no credentials';
  const stats = credentials && isReady ? await readStats(context) : undefined;
  const session = credentials && isReady ? (await readSession(context.fleet(), context.signal)).user : undefined;
  const value = { url, ready: isReady, credentials: source, user: session ?? null, readiness, stats: stats ?? null };
  out.record(value, () => [
    {
      style: isReady ? 'green' : 'red',
      text: isReady ? '●' : '○',
      rest: ` ${url} is ${isReady ? 'ready' : 'not ready'}`,
    },
    ...(isReady ? [] : [JSON.stringify(readiness)]),
    ...out.fields([
      ['credentials', source],
      ['user', session],
      ['agents', stats && `${stats.agents.total}, ${stats.agents.by_status.active} active`],
      ['tasks', stats && countsText(stats.tasks.by_status)],
      ['workers', stats?.workers],
      ['oldest', stats && oldest(stats.oldest_pending)],
      ...spentFields(stats?.usage?.total),
    ]),
  ]);
  if (!credentials) out.note('No credentials: sign in with fleet login, or set FLEET_API_KEY.');
  return isReady ? undefined : EXIT.unavailable;
}

/** Public, and 503 while a part of the fleet is away: its body says which. */
async function readReadiness({ connect, signal }: Context, url: string) {
  try {
    const { data } = await connect({ url, retries: 0 }).get('/ready', { signal });
    return { readiness: data, isReady: true };
  } catch (error) {
    if (!(error instanceof FleetError) || error.status !== 503) throw error;
    return { readiness: error.body, isReady: false };
  }
}

/** Undefined where the credentials do not allow to read them. */
async function readStats({ fleet, signal }: Context) {
  try {
    return (await fleet().get('/stats', { signal })).data;
  } catch (error) {
    if (error instanceof FleetError && error.status === 403) return undefined;
    throw error;
  }
}

function oldest(pending: readonly { type: string; created_at: string }[]): string | undefined {
  const texts = pending.map(
    ({ type, created_at }) => `${type} waits for ${duration((Date.now() - Date.parse(created_at)) / 1_000)}`,
  );
  return texts.length > 0 ? texts.join(', ') : undefined;
}

export function registerStatus(command: Command, act: Act): void {
  command.action(act(status));
}
