import { detailError, type HttpError } from '@agent-fleet/shared/http/errors';

export function taskNotFound(): HttpError {
  return detailError(404, 'Task not found');
}
