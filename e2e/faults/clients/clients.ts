import type { Agent } from '../../harness/api.ts';
import { Random } from '../../histories/random.ts';
import type { Fleet } from '../machines/fleet.ts';
import { changeAgents } from './agent-changer.ts';
import { Client } from './client.ts';
import { CredentialUser } from './credential-user.ts';
import { EventFollower } from './event-follower.ts';
import type { Ledger } from './ledger.ts';
import { produce } from './producers.ts';
import { read } from './readers.ts';
import { WORKED_TYPE, work } from './workers.ts';

const WORKING_AGENTS = 8;
const COUNTS = { producer: 2, worker: 5, reader: 2, changer: 1, credentials: 2, follower: 1 };

export interface Clients {
  follower: EventFollower;
  credentials: readonly CredentialUser[];
  /** Ends the changes and reads; the workers go on. */
  stopAsking(): Promise<void>;
  /** Ends the workers. */
  stopWorking(): Promise<void>;
  /** Ends whatever still runs, without waiting for it. */
  stop(): void;
}

/** Starts all clients of a run. */
export async function startClients(fleet: Fleet, ledger: Ledger, seed: number): Promise<Clients> {
  const all: Client[] = [];
  const create = (name: string) => {
    const client = new Client(name, fleet.baseUrl, ledger);
    all.push(client);
    return client;
  };
  let [isAskingOver, isWorkOver] = [false, false];
  const first = create('first');
  for (let at = 0; at < WORKING_AGENTS; at++) {
    const body = { name: `Working ${at}`, type: WORKED_TYPE };
    const { json } = await first.change('POST', '/agents', { body, headers: { 'idempotency-key': `working-${at}` } });
    ledger.working.push(json as Agent);
  }
  const follower = new EventFollower(fleet.baseUrl, ledger);
  const credentials = Array.from({ length: COUNTS.credentials }, (_, at) => {
    const client = create(`credentials-${at + 1}`);
    return new CredentialUser(client, fleet.gatewayUrls, new Random(seed + at));
  });
  const acts = {
    producer: (client: Client, random: Random) => produce(client, random, () => isAskingOver),
    reader: (client: Client, random: Random) => read(client, random, () => isAskingOver),
    changer: (client: Client) => changeAgents(client, () => isAskingOver),
    credentials: (_client: Client, _random: Random, at: number) => credentials[at]?.run(() => isAskingOver),
    follower: () => follower.run(),
    worker: (client: Client, random: Random) => work(client, random, () => isWorkOver),
  };
  const run = async (kind: keyof typeof acts, at: number) => {
    const client = create(`${kind}-${at + 1}`);
    const random = new Random(seed * 100 + all.length);
    await acts[kind](client, random, at)?.catch((error: Error) =>
      ledger.violate(`${client.name} ended: ${error.message}`),
    );
  };
  const start = (kind: keyof typeof acts) => Array.from({ length: COUNTS[kind] }, (_, at) => run(kind, at));
  const asking = [...start('producer'), ...start('reader'), ...start('changer'), ...start('credentials')];
  const working = start('worker');
  start('follower');
  return {
    follower,
    credentials,
    async stopAsking() {
      isAskingOver = true;
      await Promise.all(asking);
    },
    async stopWorking() {
      isWorkOver = true;
      await Promise.all(working);
    },
    stop() {
      isAskingOver = true;
      isWorkOver = true;
      follower.stop();
      for (const client of all) client.close();
    },
  };
}
