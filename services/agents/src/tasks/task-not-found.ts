import { detailError, type HttpError } from '@agent-fleet/shared/errors';

export function taskNotFound(): HttpError {
  return detailError(404, 'Task not found');
}
