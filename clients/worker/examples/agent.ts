// An agent in one file, for `fleet worker --acp node -- clients/worker/examples/agent.ts`: it gives a model three tools
// until the model is done. MODEL_URL is a server that speaks Anthropic's Messages API.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
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
  client: AgentContext;
}

const TOOLS: Record<string, (input: Record<string, string>, session: Session) => Promise<string>> = {
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

async function callModel(messages: unknown[]): Promise<Answer> {
  const response = await fetch(`${MODEL_URL}/v1/messages`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': ANTHROPIC_API_KEY,
      'anthropic-version': '2023-06-01',
    },
    body: JSON.stringify({ model, max_tokens: 8_000, messages, tools: OFFERED }),
  });
  const answer = (await response.json()) as Answer & { error?: { message: string } };
  if (!response.ok) throw RequestError.internalError({ message: `${response.status} ${answer.error?.message}` });
  return answer;
}

/** Ends the turn when the model calls no more tools. */
async function work(session: Session, task: string) {
  const { id: sessionId, client } = session;
  const update = (value: object) =>
    client.notify('session/update', { sessionId, update: value as { sessionUpdate: 'plan'; entries: [] } });
  const messages: unknown[] = [{ role: 'user', content: task }];
  let [inputTokens, outputTokens] = [0, 0];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const { content, usage } = await callModel(messages);
    inputTokens += usage.input_tokens ?? 0;
    outputTokens += usage.output_tokens ?? 0;
    const amount = (inputTokens * PRICES.input + outputTokens * PRICES.output) / 1e6;
    const used = inputTokens + outputTokens;
    await update({ sessionUpdate: 'usage_update', used, size: 200_000, cost: { amount, currency: 'USD' } });
    const results = [];
    for (const { type, id, name = '', text, input = {} } of content) {
      if (type === 'text') await update({ sessionUpdate: 'agent_message_chunk', content: { type, text } });
      if (type !== 'tool_use') continue;
      const title = `${name} ${input.path ?? input.question}`;
      const call = { toolCallId: id, name, title, rawInput: input, status: 'in_progress' };
      await update({ sessionUpdate: 'tool_call', ...call });
      const run = (TOOLS[name] as (typeof TOOLS)[string])(input, session);
      const [status, answer] = await run.then(
        (output) => ['completed', output],
        (error) => ['failed', String(error)],
      );
      const output = [{ type: 'content', content: { type: 'text', text: answer } }];
      await update({ sessionUpdate: 'tool_call_update', toolCallId: id, status, content: output });
      results.push({ type: 'tool_result', tool_use_id: id, content: answer });
    }
    if (results.length === 0) {
      return { stopReason: 'end_turn' as const, usage: { inputTokens, outputTokens, totalTokens: used } };
    }
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
  return { stopReason: 'max_turn_requests' as const };
}

const modelOption = () => ({
  ...{ id: 'model', category: 'model', name: 'Model' },
  ...{ type: 'select' as const, currentValue: model, options: [] },
});

let folder = process.cwd();
agent({ name: 'example-agent' })
  .onRequest('initialize', () => ({ protocolVersion: PROTOCOL_VERSION }))
  .onRequest('session/new', ({ params }) => {
    folder = params.cwd;
    return { sessionId: randomUUID(), configOptions: [modelOption()] };
  })
  .onRequest('session/set_config_option', ({ params }) => {
    model = String(params.value);
    return { configOptions: [modelOption()] };
  })
  .onRequest('session/prompt', ({ params, client }) => {
    const task = params.prompt.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    return work({ id: params.sessionId, folder, client }, task);
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
