import { test } from '@jest/globals';
import { expectRevocations, ROUNDS } from '../support/revocations.ts';

test('two gateways soon refuse what was revoked, in all rounds', () => expectRevocations(ROUNDS));
