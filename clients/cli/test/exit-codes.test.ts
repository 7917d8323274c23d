import { FleetError, FleetUnavailableError } from '@agent-fleet/sdk';
import { expect, test } from '@jest/globals';
import { toFailure } from '../src/errors.ts';

test.each([
  [1, [302, 404, 405, 408, 409, 410, 412, 429, 500, 501]],
  [2, [400, 413, 414, 415, 422, 431]],
  [4, [401, 403]],
])('the exit code is %i for responses with %j', (exitCode, statuses) => {
  const codes = statuses.map((status) => toFailure(new FleetError('no', { status }), 'http://f').exitCode);
  expect(codes).toEqual(statuses.map(() => exitCode));
});

test('the exit code is 6 without a usable response', () => {
  const errors = [{}, { status: 502 }, { status: 503 }, { status: 504 }].map(
    (options) => new FleetUnavailableError('no', options),
  );
  expect(errors.map((error) => toFailure(error, 'http://f').exitCode)).toEqual([6, 6, 6, 6]);
});
