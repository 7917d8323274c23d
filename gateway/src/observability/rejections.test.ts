import { httpError, notFound, unavailable } from '@agent-fleet/shared/http/errors';
import { expect, test } from '@jest/globals';
import { rejectionOf } from './rejections.ts';

test('an error names the stage that refuses with its code, unless it names another one', () => {
  const ofStage = (error: Parameters<typeof rejectionOf>[0]['error']) => rejectionOf({ error })?.rejectedBy;
  expect(ofStage(httpError('payload_too_large', ''))).toBe('body_limit');
  expect(ofStage(httpError('rate_limited', '', { rejectedBy: 'authentication' }))).toBe('authentication');
  expect(ofStage(unavailable('', 1))).toBe('upstream');
  expect(ofStage(notFound())).toBe('path');
  expect(ofStage(httpError('internal_error', ''))).toBe('operation');
});
