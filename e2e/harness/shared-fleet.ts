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

/** How many test files may use the fleet at a time. */
const LANES = 8;
const TYPES_PER_LANE = 3;

const typesOfLane = (lane: number) => Array.from({ length: TYPES_PER_LANE }, (_, at) => `lane${lane}-${at + 1}`);

const LANE_TYPES = Array.from({ length: LANES }, (_, at) => typesOfLane(at + 1)).flat();

/** The agent types of a shared fleet: who leases the tasks of a type must not take those of another file. */
export const SHARED_TYPES = ['claude', 'gpt', 'gemini', ...LANE_TYPES];

/** A served API document as it is with the agent types of a new fleet. */
export function withDefaultTypes(document: string): string {
  return document.replaceAll(LANE_TYPES.map((type) => `,"${type}"`).join(''), '');
}

/** The agent types of the test file that runs in this process. */
export function ownTypes(): string[] {
  return typesOfLane(Number(process.env.JEST_WORKER_ID));
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
