import { expect, test } from '@jest/globals';
import { Api } from './harness/api.ts';
import { createRefused } from './spec/identity/enumeration.ts';

const ROUNDS = 30;
const TOLERANCE = 0.3;

const api = Api.duringTests();

test.each(['postToken', 'postSession'] as const)(
  'the time of a refusal does not reveal whether the account exists: %s',
  async (name) => {
    const refused = Object.entries(await createRefused(api));
    const times = new Map<string, number[]>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const [account, fields] of shuffle(refused)) {
        const before = performance.now();
        expect((await api.accounts[name](fields)).status).toBe(401);
        const took = performance.now() - before;
        times.set(account, [...(times.get(account) ?? []), took]);
      }
    }
    const medians = new Map([...times].map(([account, all]) => [account, medianOf(all)]));
    const unknown = medians.get('unknown') as number;
    for (const [account, median] of medians) {
      expect([account, Math.abs(median / unknown - 1) < TOLERANCE, median, unknown]).toEqual([
        account,
        true,
        median,
        unknown,
      ]);
    }
  },
);

/** In one order, an account could always meet what else the machine does at regular times. */
function shuffle<T>(values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: Math.random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number;
}
