// An agent in one file, for `fleet worker --acp node -- clients/worker/examples/agent.ts`: it gives a model three tools
// until the model is done. MODEL_URL is a server that speaks Anthropic's Messages API.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type AgentContext, agent, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';

const { MODEL_URL = 'https://api.anthropic.com', ANTHROPIC_API_KEY = '' } = process.env;
const MAX_TURNS = 30;
let model = 'claude-sonnet-4-5';
/** USD for a million tokens. */
const PRICES = { input: 3, output: 15 };

interface Block {
  type: string;
  id?: string;
  name?: string;
  text?: string;
  input?: Record<string, string>;
}

interface Answer {
  content: Block[];
  usage: Record<string, number>;
}

interface Session {
  id: string;
  folder: string;
  /** What was said in all its turns. */
  messages: unknown[];
}

/** A session while it works. */
interface Turn extends Session {
  client: AgentContext;
}

/** Used since the start of this program. */
const tokens = { input: 0, output: 0 };

const TOOLS: Record<string, (input: Record<string, string>, turn: Turn) => Promise<string>> = {
  read_file: ({ path = '' }, { folder }) => readFile(resolve(folder, path.replace(/^~/, homedir())), 'utf8'),
  async write_file({ path = '', content = '' }, { folder }) {
    const file = resolve(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    return 'written';
  },
  async ask_person({ question = '' }, { id, client }) {
    const form = { type: 'object', properties: { answer: { type: 'string' } } };
    const asked = { sessionId: id, mode: 'form', message: question, requestedSchema: form };
    return JSON.stringify(await client.request<unknown>('elicitation/create', asked));
  },
};

const property = { type: 'string' };
const OFFERED = [
  { name: 'read_file', properties: { path: property } },
  { name: 'write_file', properties: { path: property, content: property } },
  { name: 'ask_person', properties: { question: property } },
].map(({ name, properties }) => ({
  ...{ name, description: name.replace('_', ' ') },
  input_schema: { type: 'object', properties, required: Object.keys(properties) },
}));

async function callModel(messages: unknown[], signal: AbortSignal): Promise<Answer> {
  const response = await fetch(`${MODEL_URL}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ model, max_tokens: 8_000, messages, tools: OFFERED }),
    signal,
  });
  const answer = (await response.json()) as Answer & { error?: { message: string } };
  if (!response.ok) throw RequestError.internalError({ message: `${response.status} ${answer.error?.message}` });
  return answer;
}

const OPTIONS = [
  { optionId: 'allow', name: 'Allow', kind: 'allow_once' as const },
  { optionId: 'deny', name: 'Deny', kind: 'reject_once' as const },
];

/** Asks whether a file may be written: the worker knows where, and asks a person about other places. */
async function mayWrite({ id, folder, client }: Turn, call: { toolCallId: string }, path = ''): Promise<boolean> {
  const toolCall = { ...call, kind: 'edit' as const, locations: [{ path: resolve(folder, path) }] };
  const asked = { sessionId: id, toolCall, options: OPTIONS };
  const { outcome } = await client.request<{ outcome: { optionId?: string } }>('session/request_permission', asked);
  return outcome.optionId === 'allow';
}

/** Ends the turn when the model calls no more tools, or the signal aborts. */
async function work(turn: Turn, task: string, signal: AbortSignal) {
  const { id: sessionId, client, messages } = turn;
  const update = (value: object) =>
    client.notify('session/update', { sessionId, update: value as { sessionUpdate: 'plan'; entries: [] } });
  messages.push({ role: 'user', content: task });
  for (let count = 0; count < MAX_TURNS; count++) {
    const { content, usage } = await callModel(messages, signal);
    tokens.input += usage.input_tokens ?? 0;
    tokens.output += usage.output_tokens ?? 0;
    const amount = (tokens.input * PRICES.input + tokens.output * PRICES.output) / 1e6;
    const used = tokens.input + tokens.output;
    await update({ sessionUpdate: 'usage_update', used, size: 200_000, cost: { amount, currency: 'USD' } });
    const results = [];
    for (const { type, id = '', name = '', text, input = {} } of content) {
      if (type === 'text') await update({ sessionUpdate: 'agent_message_chunk', content: { type, text } });
      if (type !== 'tool_use') continue;
      const title = input.path ?? input.question ?? name;
      const call = { toolCallId: id, name, title, rawInput: input, status: 'in_progress' as const };
      await update({ sessionUpdate: 'tool_call', ...call });
      const isAllowed = name !== 'write_file' || (await mayWrite(turn, call, input.path));
      const run = isAllowed
        ? (TOOLS[name] as (typeof TOOLS)[string])(input, turn)
        : Promise.reject(new Error('A person has denied it'));
      const [status, answer] = await run.then(
        (output) => ['completed', output],
        (error) => ['failed', String(error)],
      );
      const output = [{ type: 'content', content: { type: 'text', text: answer } }];
      await update({ sessionUpdate: 'tool_call_update', toolCallId: id, status, content: output });
      results.push({ type: 'tool_result', tool_use_id: id, content: answer });
    }
    messages.push({ role: 'assistant', content });
    if (results.length > 0) messages.push({ role: 'user', content: results });
    signal.throwIfAborted();
    if (results.length > 0) continue;
    const { input: inputTokens, output: outputTokens } = tokens;
    return { stopReason: 'end_turn' as const, usage: { inputTokens, outputTokens, totalTokens: used } };
  }
  return { stopReason: 'max_turn_requests' as const };
}

const modelOption = () => ({
  ...{ id: 'model', category: 'model', name: 'Model' },
  ...{ type: 'select' as const, currentValue: model, options: [] },
});

/** In the home of the attempt, which the worker keeps for the tasks that continue it. */
const fileOf = (id: string) => join(homedir(), '.example-agent', `${id}.json`);
let session: Session | undefined;
let turn = new AbortController();

async function prompt(opened: Session, task: string, client: AgentContext) {
  turn = new AbortController();
  const { signal } = turn;
  try {
    return await work({ ...opened, client }, task, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { stopReason: 'cancelled' as const };
  } finally {
    await mkdir(dirname(fileOf(opened.id)), { recursive: true });
    await writeFile(fileOf(opened.id), JSON.stringify(opened));
  }
}

agent({ name: 'example-agent' })
  .onRequest('initialize', () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: { loadSession: true } }))
  .onRequest('session/new', ({ params }) => {
    session = { id: randomUUID(), folder: params.cwd, messages: [] };
    return { sessionId: session.id, configOptions: [modelOption()] };
  })
  .onRequest('session/load', async ({ params }) => {
    session = JSON.parse(await readFile(fileOf(params.sessionId), 'utf8')) as Session;
    return { configOptions: [modelOption()] };
  })
  .onRequest('session/set_config_option', ({ params }) => {
    model = String(params.value);
    return { configOptions: [modelOption()] };
  })
  .onNotification('session/cancel', () => turn.abort())
  .onRequest('session/prompt', ({ params, client }) => {
    if (session === undefined) throw RequestError.internalError({ message: 'There is no session' });
    const task = params.prompt.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    return prompt(session, task, client);
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
