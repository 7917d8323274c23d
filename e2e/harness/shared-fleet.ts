import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { UPSTREAMS, type UpstreamName } from '@agent-fleet/scripts/services';
import type { LocalFleet } from './local-fleet.ts';

/** Where a fleet on this machine is. */
export interface FleetPlace extends Pick<LocalFleet, 'baseUrl' | 'redisUrl' | 'redisPrefix' | 'logFolder'> {
  /** Base URLs of the services behind the gateway. */
  upstreams: Record<UpstreamName, string>;
}

export function placeOf({ baseUrl, redisUrl, redisPrefix, logFolder, services }: LocalFleet): FleetPlace {
  const upstreams = Object.fromEntries(UPSTREAMS.map((name) => [name, services[name].url]));
  return { baseUrl, redisUrl, redisPrefix, logFolder, upstreams: upstreams as FleetPlace['upstreams'] };
}

/** Hands a fleet to all test files of this run: they change only what is theirs, and kill nothing. */
export function shareFleet(fleet: LocalFleet): void {
  process.env.E2E_SHARED_FLEET = JSON.stringify(placeOf(fleet));
}

/** The fleet that the files of this run share, if there is one. */
export function sharedFleet(): FleetPlace | undefined {
  const { E2E_SHARED_FLEET } = process.env;
  return E2E_SHARED_FLEET ? JSON.parse(E2E_SHARED_FLEET) : undefined;
}

/** All that the processes of a fleet have printed. */
export function printedBy({ logFolder }: Pick<FleetPlace, 'logFolder'>): string {
  return readdirSync(logFolder)
    .map((name) => readFileSync(join(logFolder, name), 'utf8'))
    .join('');
}
