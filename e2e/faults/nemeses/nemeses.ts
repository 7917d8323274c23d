import type { PictureName } from '../machines/fleet.ts';
import type { Nemesis } from './fault.ts';
import { cutMinority, cutTwo, isolatePrimaryFromServers, isolateRedis, isolateService } from './networks.ts';
import {
  killRedis,
  killService,
  losePrimary,
  pauseRedis,
  pauseService,
  restartService,
  switchPrimary,
} from './processes.ts';
import { fillDisk, fillMemory, moveRedisClock, moveServiceClock } from './resources.ts';

/** Faults of our own services: at most one in a thousand reads may fail. */
const SERVICE_NEMESES = { 'kill service': killService, 'pause service': pauseService };

/** Changes that an operator plans: no read may fail. */
const PLANNED_NEMESES = { 'rolling restart': restartService, 'planned switch': switchPrimary };

const OTHER_NEMESES = {
  'kill redis': killRedis,
  'pause redis': pauseRedis,
  'lose primary': losePrimary,
  'cut two': cutTwo,
  'isolate redis': isolateRedis,
  'isolate primary': isolatePrimaryFromServers,
  'isolate service': isolateService,
  'full disk': fillDisk,
  'full memory': fillMemory,
  'clock of redis': moveRedisClock,
  'clock of service': moveServiceClock,
};

export const NEMESES = { ...SERVICE_NEMESES, ...PLANNED_NEMESES, ...OTHER_NEMESES, 'cut minority': cutMinority };

export type Kind = keyof typeof NEMESES;

/**
 * The kinds of a picture. A minority with a replica loses writes unless each is on both (valkey#743), which stops
 * writes while a server is lost.
 */
export function kindsOf(picture: PictureName): Kind[] {
  const kinds = Object.keys(NEMESES) as Kind[];
  return kinds.filter((kind) => kind !== (picture === 'strict' ? 'lose primary' : 'cut minority'));
}

export function isPlanned(kind: Kind): boolean {
  return kind in PLANNED_NEMESES;
}

/** Whether exactly one process is lost. */
export function isLoss(kind: Kind): boolean {
  return /^(kill|pause|lose) /.test(kind);
}

/** Whether a gateway may reach no Redis, or a former primary. */
export function keepsNewsAway(kind: Kind): boolean {
  return kind.endsWith(' redis') || /^(lose|cut|isolate) /.test(kind);
}

/** Whether a credential may begin or end at a wrong time. */
export function movesClock(kind: Kind): boolean {
  return kind.startsWith('clock ');
}

/** Whether a fault may happen beside one of Redis. */
export function isOfService(kind: Kind): boolean {
  return kind in SERVICE_NEMESES;
}

export const nemesisOf = (kind: Kind): Nemesis => NEMESES[kind];
