import type { Operation } from '@agent-fleet/shared/contract/operation';
import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';
import type { Caller } from '@agent-fleet/shared/http/internal-access';
import type { Request } from 'express';
import type { Origin } from '../http/origin.ts';
import { readSession } from './contract.ts';

/** Whether a request only asks who is signed in, if anybody: the one operation with credentials that works without. */
export function isSessionCheck({ id }: Operation, { query }: Request): boolean {
  return id === readSession.id && query.optional === 'true';
}

/** @throws 401 for a request without one: there is none without a gateway */
export function requireCaller({ caller }: Origin): Caller {
  if (!caller) throw unauthenticated();
  return caller;
}

export function unauthenticated(): HttpError {
  return detailError(401, 'Could not validate credentials', { 'www-authenticate': 'Bearer' });
}
