import { detailError, type HttpError, httpError } from '@agent-fleet/shared/http/errors';

/** Failures of which a bulk action keeps the tasks. */
export const MAX_FAILURES = 100;

export function bulkActionNotFound(): HttpError {
  return detailError(404, 'Bulk action not found');
}

export function bulkActionEnded(): HttpError {
  return httpError('bulk_action_ended', 'The bulk action has ended');
}

export function tooManyBulkActions(): HttpError {
  const options = { headers: { 'retry-after': '5' }, rejectedBy: 'bulk_actions' };
  return httpError('rate_limited', 'Too many bulk actions are running; try again', options);
}
