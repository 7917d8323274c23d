import type { Reply } from '@agent-fleet/scripts/testing/model-server/model-api';
import { expect, test } from '@jest/globals';
import { bodyOf, FORMS, openProxy, startModel } from '../support/model-proxy.ts';

/** 0.01 USD in and 0.1 USD out at the prices of the tests. */
const USAGE = { input_tokens: 10, output_tokens: 10 };
const answer = (delayMs = 0): Reply => ({ text: 'one', usage: USAGE, delayMs });
const limited = { ...bodyOf(true), max_tokens: 10 };

test('refuses requests when the budget is used up, in a form that clients do not repeat', async () => {
  for (const { provider, path } of FORMS) {
    const model = await startModel(() => answer());
    const proxy = await openProxy(model.url, { provider, maxCost: 0.2 });
    for (let call = 0; call < 2; call++) expect((await proxy.post(path(true), limited)).status).toBe(200);
    while (proxy.reported.length < 2) await new Promise(setImmediate);
    expect(proxy.exceeded).toBe(0);
    const refused = await proxy.post(path(true), limited);
    expect(refused.status).toBe(400);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('0.2 USD') } });
    expect(proxy.exceeded).toBe(1);
    expect(model.requests).toHaveLength(2);
    expect(proxy.used()?.cost?.amount).toBe(0.22);
  }
});

test('passes the budget by one response at most when many requests come at once', async () => {
  let running = 0;
  let most = 0;
  const model = await startModel(async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 30));
    running--;
    return answer();
  });
  const proxy = await openProxy(model.url, { maxCost: 0.6 });
  const responses = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const response = await proxy.post('/v1/messages', limited);
      return { status: response.status, text: await response.text() };
    }),
  );
  const answered = responses.filter(({ status }) => status === 200).length;
  expect(responses.filter(({ status }) => status === 400)).toHaveLength(20 - answered);
  // A request is forecast at 0.1 USD for its output and about as much for its body.
  expect(most).toBeGreaterThan(1);
  expect(proxy.used()?.cost?.amount).toBeCloseTo(answered * 0.11);
  expect(proxy.used()?.cost?.amount).toBeLessThan(0.6 + 0.11);
  expect(proxy.used()?.cost?.amount).toBeGreaterThanOrEqual(0.6);
});

test('has sixteen requests of an attempt with the provider at once; 64 others wait', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let running = 0;
  let most = 0;
  const model = await startModel(async () => {
    most = Math.max(most, ++running);
    await released;
    running--;
    return answer();
  });
  const proxy = await openProxy(model.url);
  let refused = 0;
  const send = async () => {
    const response = await proxy.post('/v1/messages', limited);
    await response.text();
    if (response.status === 429 && ++refused === 40) release();
    return `${response.status} ${response.headers.get('retry-after')}`;
  };
  const statuses = await Promise.all(Array.from({ length: 120 }, send));
  expect(most).toBe(16);
  expect(statuses.filter((status) => status === '429 1')).toHaveLength(40);
  expect(statuses.filter((status) => status === '200 null')).toHaveLength(80);
});

test('refuses a model without a price when there is a budget, and says how to give one', async () => {
  const model = await startModel();
  const proxy = await openProxy(model.url, { maxCost: 5 });
  const response = await proxy.post('/v1/messages', { ...limited, model: 'm-ultra' });
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(/m-ultra.*--prices/);
  expect(proxy.exceeded).toBe(1);
  expect(model.requests).toEqual([]);
  expect((await proxy.post('/v1/messages/count_tokens', { ...limited, model: 'm-ultra' })).status).toBe(200);
});

test('lets a waiting request go when its client does, and sends the next', async () => {
  let answerFirst = () => {};
  const model = await startModel(({ prompt }) =>
    prompt === 'first' ? new Promise((resolve) => (answerFirst = () => resolve(answer()))) : answer(),
  );
  const proxy = await openProxy(model.url, { maxCost: 0.3 });
  const send = (content: string, init?: RequestInit) =>
    proxy.post('/v1/messages', { ...limited, messages: [{ role: 'user', content }] }, init);
  const first = send('first');
  while (model.requests.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  const aborts = new AbortController();
  const second = send('second', { signal: aborts.signal }).catch(() => 'aborted');
  const third = send('third');
  await new Promise((resolve) => setTimeout(resolve, 50));
  aborts.abort();
  expect(await second).toBe('aborted');
  await new Promise((resolve) => setTimeout(resolve, 20));
  answerFirst();
  expect((await first).status).toBe(200);
  expect((await third).status).toBe(200);
  expect(model.requests.map(({ prompt }) => prompt)).toEqual(['first', 'third']);
});
