import { expect, test } from '@jest/globals';
import { toLoggedPath } from './observe-requests.ts';

test.each([
  ['/agents/7?token=secret', '/agents/7'],
  ['/agents', '/agents'],
  ['/password-resets/secret', '/password-resets/*'],
  ['/password-resets/secret/', '/password-resets/*'],
  ['/password-resets/a/secret?b', '/password-resets/*'],
  ['//password-resets/secret', '//password-resets/*'],
  ['/Password-Resets/secret', '/Password-Resets/*'],
  ['/password-resets/', '/password-resets/'],
  ['/users/7/password-resets', '/users/7/password-resets'],
  ['', ''],
])('the target %j is logged as %j', (target, logged) => {
  expect(toLoggedPath(target)).toBe(logged);
});
