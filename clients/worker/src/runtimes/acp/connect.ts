import { client } from '@agentclientprotocol/sdk';
import { type JsonObject, objectOf } from '../json.ts';
import type { Message, RuntimeEvent, RuntimeJob, RuntimeProcess, RuntimeSession } from '../runtime.ts';
import { AcpAsks } from './asks.ts';
import { toFailure, toModelFailure } from './failures.ts';
import { openSession, setAskingMode, setModel, untilQuiet } from './session.ts';
import { createEventQueue, openStdio } from './stdio.ts';
import { Turns } from './turns.ts';
import { createUpdateReader, type UpdateOptions } from './updates.ts';

export interface AcpOptions extends UpdateOptions {
  /** Sets model and mode over the protocol: for agents whose command line does not. */
  setsModel?: boolean;
  /** Tools that `read-only` allows though their kind is not to read, by the id of the call. */
  isHarmless?: (toolCallId: string) => boolean;
}

/** Speaks with an agent of the Agent Client Protocol, version 1, over stdin and stdout. */
export function connectAcp(process: RuntimeProcess, job: RuntimeJob, options: AcpOptions = {}): RuntimeSession {
  const queue = createEventQueue();
  const reader = createUpdateReader(job, options);
  const asks = new AcpAsks({
    job,
    isHarmless: options.isHarmless ?? (() => false),
    onEvent: queue.add,
    onCall: (update) => onUpdate({ sessionId: prompted, update }),
    onWords: (text) => turns?.add(text),
  });
  /** Absent until the prompt is sent: a loaded session repeats all that was said before. */
  let prompted: string | undefined;
  let turns: Turns | undefined;
  let isCancelled = false;
  let updatedAt = 0;
  /** What was said before there is a session. */
  const early: Message[] = [];

  const app = client({ name: 'fleet-worker' })
    .onRequest('session/request_permission', objectOf, async ({ params }) => ({ outcome: await asks.permit(params) }))
    .onRequest('elicitation/create', objectOf, ({ params }) => asks.elicit(params));
  const onUpdate = (params: JsonObject) => {
    updatedAt = performance.now();
    if (prompted === undefined || params.sessionId !== prompted) return;
    for (const event of reader.read(objectOf(params.update))) queue.add(event);
  };
  const connection = app.connect(openStdio(process, { room: queue.room, onUpdate }));

  function cancel(): void {
    if (isCancelled) return;
    isCancelled = true;
    asks.close();
    // Before there is a session, the end of stdin ends the agent.
    if (turns === undefined) connection.close();
    else turns.end();
  }

  async function run(): Promise<RuntimeEvent | undefined> {
    const agent = connection.agent;
    const session = await openSession(agent, job);
    if ('type' in session) return session;
    const { id, response, steers } = session;
    queue.add({ type: 'session', id, ...(job.model !== undefined && { model: job.model }) });
    if (options.setsModel) await setAskingMode(agent, id, response, job);
    if (options.setsModel && job.model !== undefined) await setModel(agent, id, job.model, response, queue.add);
    if (job.session !== undefined) await untilQuiet(() => updatedAt);
    prompted = id;
    turns = new Turns({ agent, sessionId: id, steers, reader, onEvent: queue.add, onStop: () => asks.withdraw() });
    for (const message of early.splice(0)) turns.say(message);
    const ending = await turns.run(job.prompt);
    const words = reader.lastOwnWords();
    // A turn whose model call has failed ends like any other: only the last words say that it failed.
    return ending?.type === 'success' && words?.startsWith('Error: ') ? toModelFailure(words) : ending;
  }

  async function follow(): Promise<void> {
    const ending = await run().catch(async (error: unknown) => {
      if (isCancelled) return undefined;
      // An agent that has exited says why on stderr, which the worker reports.
      if (!connection.signal.aborted || isTooLarge(error)) return toFailure(error);
      await process.exited;
      return undefined;
    });
    if (ending && !isCancelled) queue.add(ending);
    queue.close();
    connection.close();
    // Most agents exit at the end of their input.
    process.stdin.end();
    process.stdout.resume();
  }

  void follow();
  return {
    events: queue.events(),
    cancel,
    answer: (key, answer) => asks.answer(key, answer),
    say: (message) => (turns ? turns.say(message) : void early.push(message)),
    interrupt: () => turns?.interrupt(),
    async suspend() {
      cancel();
      await process.exited;
    },
  };
}

const isTooLarge = (error: unknown) => error instanceof Error && error.name === 'MessageTooLargeError';
