import { until } from '@agent-fleet/shared/testing/until';
import { describe, expect, test } from '@jest/globals';
import { ASK, HEARTBEAT, INBOX, POLL, SUSPENSION } from './support/fake-fleet.ts';
import { untilAborted, useFleet } from './support/harness.ts';

const { fleet, work } = await useFleet();
const accepts = ['messages', 'interrupt', 'input'] as const;
const QUESTION = { key: 'k', kind: 'question', title: 'Which one?' } as const;
const TOLD = /^PUT .*\/messages\//;

test('a worker says what its handler takes, and one that takes nothing reads no inbox', async () => {
  const task = fleet.add('a');
  // No poll of this one may take the next task.
  const { done } = work({ handler: () => 'done', maxTasks: 1 });
  await fleet.reportOf(task);
  expect(fleet.all(POLL)[0]?.body).not.toHaveProperty('accepts');
  await done;
  work({ accepts, handler: () => 'done' });
  await fleet.reportOf(fleet.add('b'));
  expect(fleet.all(POLL).at(-1)?.body).toMatchObject({ accepts });
  expect(fleet.all(INBOX).every(({ path }) => path.includes('.1/'))).toBe(true);
});

describe('a question', () => {
  test('has its answer when a person gives it, also through an outage', async () => {
    const task = fleet.add('a');
    work({ accepts, handler: async (_task, { ask }) => ask(QUESTION) });
    await fleet.untilRequested(ASK);
    fleet.fail(INBOX, { status: 503 }, 2);
    await fleet.answer(task, 'k', { text: 'The first' });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: { text: 'The first' } });
  });

  test('has its answer at once where an earlier attempt has got it', async () => {
    const task = fleet.add('a');
    work({ accepts, handler: async (_task, { ask }) => [await ask(QUESTION), await ask(QUESTION)] });
    await fleet.answer(task, 'k', { option_ids: ['a'] });
    const { result } = await fleet.reportOf(task);
    expect(result).toMatchObject([{ option_ids: ['a'] }, { option_ids: ['a'] }]);
  });

  test('comes after what was said before it', async () => {
    const task = fleet.add('a');
    work({
      accepts,
      handler: async (_task, { ask, log }) => {
        log('I have looked around');
        return ask(QUESTION);
      },
    });
    await fleet.untilRequested(ASK);
    expect(fleet.logOf(task)).toHaveLength(1);
    await fleet.answer(task, 'k', { text: 'The first' });
    await fleet.reportOf(task);
  });

  test('is withdrawn by its signal', async () => {
    const task = fleet.add('a');
    work({
      accepts,
      handler: async (_task, { ask }) => {
        const answer = ask(QUESTION, { signal: AbortSignal.timeout(50) });
        return { answer: await answer };
      },
    });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: { answer: null } });
    await fleet.untilRequested(/^DELETE .*\/input-requests\//);
  });

  test('that the fleet refuses is an error of the handler', async () => {
    const task = fleet.add('a');
    fleet.fail(ASK, { status: 409, body: { error: 'input_not_accepted', message: 'no' } });
    work({ handler: async (_task, { ask }) => ask(QUESTION) });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'failed' });
  });
});

describe('a suspension', () => {
  test.each(['the worker stops', 'nobody has answered for long'])('keeps the state when %s', async (why) => {
    const task = fleet.add('a');
    const reasons: unknown[] = [];
    const worker = work({
      accepts,
      holdSeconds: why === 'the worker stops' ? 900 : 0,
      handler: async (_task, context) => {
        context.state = { step: 2 };
        await context.ask(QUESTION).catch((reason) => reasons.push(reason));
      },
    });
    await fleet.untilRequested(ASK);
    if (why === 'the worker stops') void worker.stop();
    expect(await fleet.suspensionOf(task)).toEqual({ token: expect.any(String), state: { step: 2 } });
    await until(() => reasons.length > 0);
    expect(reasons).toMatchObject([{ code: 'suspended' }]);
    await worker.stop();
    expect(fleet.all(/result$|^DELETE/)).toEqual([]);
  });

  test('is followed by a call with the answers and the state, after the fleet has heard of it', async () => {
    const answer = { option_ids: null, text: 'B', values: null };
    const resume = { session: null, state: { step: 2 }, answers: [{ key: 'k', answer }] };
    const task = fleet.add('a', { resume } as object);
    fleet.heartbeatSeconds = 3600;
    work({
      accepts,
      handler: async (_task, { ask, answers, state }) => {
        const beats = fleet.count(HEARTBEAT);
        return { beats, state, known: answers.get('k')?.text, asked: (await ask(QUESTION))?.text };
      },
    });
    const { result } = await fleet.reportOf(task);
    expect(result).toEqual({ beats: 1, state: { step: 2 }, known: 'B', asked: 'B' });
    expect(fleet.count(ASK)).toBe(0);
  });

  test('that comes with the answer lets the handler go on', async () => {
    const task = fleet.add('a');
    fleet.fail(SUSPENSION, { status: 409, body: { error: 'nothing_to_wait_for', message: 'no' } });
    work({ accepts, holdSeconds: 0, handler: async (_task, { ask }) => ask(QUESTION) });
    await fleet.untilRequested(SUSPENSION);
    await fleet.answer(task, 'k', { text: 'late' });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: { text: 'late' } });
  });

  test('leaves out the files of a session that the fleet cannot keep', async () => {
    const task = fleet.add('a');
    fleet.fail(SUSPENSION, { status: 422 }, 1, ({ session }) => (session as { data?: string }).data !== undefined);
    work({
      accepts,
      handler: async (_task, context) => {
        context.onHoldEnd(() => context.suspend({ runtime: 'x', id: '1', data: 'AA==' }).catch(() => {}));
        await context.ask(QUESTION);
      },
      holdSeconds: 0,
    });
    expect(await fleet.suspensionOf(task)).toMatchObject({ session: { runtime: 'x', id: '1' } });
  });
});

describe('messages', () => {
  test('reach the handler in their order, and count as delivered', async () => {
    const task = fleet.add('a');
    work({
      accepts,
      handler: async (_task, { messages }) => {
        const texts: string[] = [];
        for await (const { text, mode } of messages()) if (texts.push(`${mode} ${text}`) === 2) break;
        return texts;
      },
    });
    await fleet.say(task, { type: 'message', message_id: 'm1', text: 'one', mode: 'queue' });
    await fleet.say(task, { type: 'message', message_id: 'm2', text: 'two', mode: 'steer' });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: ['queue one', 'steer two'] });
    const told = await fleet.untilRequested(TOLD, 2);
    expect(told.map(({ body }) => body)).toMatchObject([
      { state: 'delivered', as: 'queue' },
      { state: 'delivered', as: 'steer' },
    ]);
  });

  test('that came before the attempt are there when it begins', async () => {
    const task = fleet.add('a');
    const item = { type: 'message', message_id: 'm1', text: 'one', mode: 'queue' };
    work({
      accepts,
      handler: async (_task, { earlierMessages }) => {
        await fleet.say(task, item);
        await fleet.untilRequested(HEARTBEAT);
        return (await earlierMessages()).map(({ text }) => text);
      },
    });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ result: ['one'] });
  });

  test('say what to do after an interruption', async () => {
    const task = fleet.add('a');
    work({
      accepts,
      handler: async (_task, { messages }) => {
        const seen: unknown[] = [];
        for await (const { text, mode, delivered } of messages({ confirms: true })) {
          delivered();
          if (seen.push([mode, text]) === 2) break;
        }
        return seen;
      },
    });
    await fleet.say(task, { type: 'interrupt' });
    await fleet.untilRequested(/^PUT .*\/interruption$/);
    await fleet.say(task, {
      type: 'answer',
      request_id: 'of the fleet',
      answer: { option_ids: ['continue'], text: 'B' },
    });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({
      result: [
        ['interrupt', ''],
        ['queue', 'B'],
      ],
    });
  });

  test('end with a cancellation, which need not wait for a heartbeat', async () => {
    fleet.heartbeatSeconds = 3600;
    const task = fleet.add('a');
    work({ accepts, handler: async (_task, { signal }) => untilAborted(signal) });
    await fleet.say(task, { type: 'cancel' });
    await expect(fleet.reportOf(task)).resolves.toMatchObject({ status: 'cancelled' });
  });
});

test('live text is sent ten times a second at most, and dropped when its entry comes', async () => {
  const task = fleet.add('a');
  work({
    handler: async (_task, { delta, log }) => {
      for (const text of ['a', 'b', 'c']) delta(text);
      await fleet.untilRequested(/deltas$/);
      delta('d');
      log('', { type: 'text', data: { markdown: 'abcd' } });
    },
  });
  await fleet.reportOf(task);
  expect(fleet.all(/deltas$/).map(({ body }) => body.text)).toEqual(['abc']);
  expect(fleet.logOf(task)).toMatchObject([{ type: 'text', data: { markdown: 'abcd' } }]);
});
