import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startService } from '../support/start-service.ts';
import {
  claimsOf,
  createUser,
  getTokens,
  inSession,
  passTime,
  readSession,
  refresh,
  revoke,
  type TestUser,
} from '../support/users.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;
const REPEAT_MS = 10 * SECOND_MS;
/** More than a step takes. */
const SLACK_MS = 3 * SECOND_MS;

const service = await startService({ SIGN_IN_FAILURES_PER_ACCOUNT: '0' });

/** What a family of refresh tokens should be: written after docs, not after the code. */
interface Model {
  hasEnded: boolean;
  /** All tokens of the family, the current one last. */
  tokens: string[];
  /** By `clock`. */
  startedAt: number;
  rotatedAt: number;
}

/** The time that has passed, and that steps have let pass. */
let skippedMs = 0;
const clock = () => performance.now() + skippedMs;

interface Family {
  id: string;
  account: TestUser;
  model: Model;
}

type Step = (family: Family) => Promise<void>;

/** Refreshes with the token that is `back` before the current one, and checks the answer against the model. */
function refreshWith(back: number): Step {
  return async ({ id, model }) => {
    const at = model.tokens.length - 1 - back;
    const token = model.tokens[at];
    if (token === undefined) return;
    const isRepeated = back === 1 && clock() - model.rotatedAt <= REPEAT_MS;
    const { status, body } = await refresh(service, token);
    if (model.hasEnded || !(back === 0 || isRepeated)) {
      expect([status, body.error]).toEqual([400, 'invalid_grant']);
      expect(body.access_token).toBeUndefined();
      model.hasEnded = true;
      return;
    }
    expect(status).toBe(200);
    expect(claimsOf(body).sid).toBe(id);
    if (isRepeated) {
      expect(body.refresh_token).toBe(model.tokens.at(-1));
      return;
    }
    expect(model.tokens).not.toContain(body.refresh_token);
    model.tokens.push(body.refresh_token);
    model.rotatedAt = clock();
  };
}

const forge: Step = async ({ model }) => {
  const bytes = Buffer.from(model.tokens.at(-1) as string, 'base64url');
  bytes[20] = (bytes[20] as number) ^ 1;
  const { status, body } = await refresh(service, bytes.toString('base64url'));
  expect([status, body.error]).toEqual([400, 'invalid_grant']);
};

const refreshAtOnce: Step = async (family) => {
  const { model } = family;
  const token = model.tokens.at(-1) as string;
  const answers = await Promise.all(Array.from({ length: 4 }, () => refresh(service, token)));
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses]).toEqual([model.hasEnded ? 400 : 200]);
  if (model.hasEnded) return;
  const successors = new Set(answers.map(({ body }) => body.refresh_token as string));
  expect(successors.size).toBe(1);
  model.tokens.push(...successors);
  model.rotatedAt = clock();
};

function wait(ms: number): Step {
  return async ({ id, model }) => {
    await passTime(service, id, ms);
    skippedMs += ms;
    if (clock() - model.startedAt >= 30 * DAY_MS || clock() - model.rotatedAt >= 7 * DAY_MS) model.hasEnded = true;
  };
}

const revokeCurrent: Step = async ({ model }) => {
  await revoke(service, model.tokens.at(-1) as string).expect(200);
  model.hasEnded = true;
};

const revokeFirst: Step = async ({ model }) => {
  await revoke(service, model.tokens[0] as string).expect(200);
  model.hasEnded = true;
};

function changePassword(isOwn: boolean): Step {
  return async ({ id, account, model }) => {
    const { password } = account;
    const new_password = `${password.slice(0, 25)} ${Math.random()}`;
    const headers = inSession(account, isOwn && !model.hasEnded ? id : undefined);
    const body = { current_password: password, new_password };
    await service.http.put('/users/me/password').set(headers).send(body).expect(204);
    account.password = new_password;
    if (!isOwn) model.hasEnded = true;
  };
}

const steps: Record<string, [weight: number, step: Step]> = {
  'refresh with the current token': [10, refreshWith(0)],
  'refresh with the token before': [3, refreshWith(1)],
  'refresh with an old token': [1, refreshWith(2)],
  'refresh with an older token': [1, refreshWith(3)],
  'refresh with a forged token': [2, forge],
  'refresh four times at once': [2, refreshAtOnce],
  'wait 3 seconds': [3, wait(3 * SECOND_MS)],
  'wait 14 seconds': [3, wait(14 * SECOND_MS)],
  'wait 5 days': [3, wait(5 * DAY_MS)],
  'wait 6 days and 23 hours': [2, wait(7 * DAY_MS - 3_600 * SECOND_MS)],
  'revoke the current token': [1, revokeCurrent],
  'revoke the first token': [1, revokeFirst],
  'change the password here': [1, changePassword(true)],
  'change the password elsewhere': [1, changePassword(false)],
};

const anyStep = fc.oneof(
  ...Object.entries(steps).map(([name, [weight]]) => ({ weight, arbitrary: fc.constant(name) })),
);

/** Times that are too near to a limit, which the steps themselves may pass. */
function isNearLimit({ startedAt, rotatedAt }: Model): boolean {
  const limits = [rotatedAt + REPEAT_MS, rotatedAt + 7 * DAY_MS, startedAt + 30 * DAY_MS];
  return limits.some((limit) => Math.abs(clock() - limit) < SLACK_MS);
}

test('a family ends exactly when it should, whatever happens in whatever order', async () => {
  const account = await createUser(service);
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 25 }), async (names) => {
      const tokens = await getTokens(service, account);
      const [startedAt, rotatedAt] = [clock(), clock()];
      const model: Model = { hasEnded: false, tokens: [tokens.refresh_token], startedAt, rotatedAt };
      const family = { id: claimsOf(tokens).sid, account, model };
      for (const name of names) {
        await steps[name]?.[1](family);
        if (isNearLimit(model)) break;
        const isStored = (await readSession(service, family.id)) !== undefined;
        expect([name, isStored]).toEqual([name, !model.hasEnded]);
      }
      if (model.hasEnded) await refresh(service, model.tokens.at(-1) as string).expect(400);
    }),
    { numRuns: 50 },
  );
});
