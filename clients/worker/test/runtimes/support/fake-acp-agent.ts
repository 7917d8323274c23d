// An agent of the Agent Client Protocol that ends as its argument says. Hand-written, so that it can also break the
// protocol.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

// biome-ignore lint/suspicious/noExplicitAny: messages, which it does not check
type Fields = Record<string, any>;

const [ending = 'success'] = process.argv.slice(2);
const SESSION = 'session-1';
const MIB = 1024 * 1024;
/** Requests to the client that wait for their answer, by id. */
const waiting = new Map<unknown, (result: Fields) => void>();
let prompt: unknown;
const prompts: string[] = [];
/** Resolves when a loaded session is repeated. */
let repeated: Promise<void> | undefined;
let child: ChildProcess | undefined;

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (value: object) => send({ method: 'session/update', params: { sessionId: SESSION, update: value } });
const say = (text: string) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const stop = (stopReason: string, more: object = {}) => send({ id: prompt, result: { stopReason, ...more } });
const ask = (id: string, method: string, params: object) =>
  new Promise<Fields>((resolve) => {
    waiting.set(id, resolve);
    send({ id, method, params: { sessionId: SESSION, ...params } });
  });

const OPTIONS = ['allow_always', 'allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));

async function askFor(toolCall: object) {
  const { outcome } = await ask('p1', 'session/request_permission', { toolCall, options: OPTIONS });
  say(outcome.optionId ?? outcome.outcome);
  stop('end_turn');
}

const error = (code: number, message: string, data?: object) => send({ id: prompt, error: { code, message, data } });

const ENDINGS: Record<string, () => unknown> = {
  success() {
    update({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'Hm.' } });
    say('I look ');
    say('around.');
    const entries = ['completed', 'in_progress', 'pending'].map((status) => ({
      content: 'x',
      priority: 'low',
      status,
    }));
    update({ sessionUpdate: 'plan', entries });
    update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'ls -l', kind: 'execute', status: 'pending' });
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', title: 'ls -l', status: 'completed' });
    update({ sessionUpdate: 'usage_update', used: 5, size: 9, cost: { amount: 0.25, currency: 'USD' } });
    update({ sessionUpdate: 'something_new' });
    send({
      method: 'session/update',
      params: { sessionId: 'another', update: { sessionUpdate: 'plan', entries: [] } },
    });
    say('All is done.');
    stop('end_turn', {
      usage: { totalTokens: 37, inputTokens: 10, outputTokens: 5, cachedReadTokens: 20, thoughtTokens: 2 },
    });
  },
  command: () => askFor({ toolCallId: 't1', title: 'make', kind: 'execute', locations: [] }),
  read: () => askFor({ toolCallId: 't1', title: 'Read a', kind: 'read', locations: [{ path: 'a' }] }),
  within: () => askFor({ toolCallId: 't1', title: 'Edit', kind: 'edit', locations: [{ path: `${process.cwd()}/a` }] }),
  'ask-person': () => askFor({ toolCallId: 't1', title: 'ask_person', kind: 'other' }),
  'named-so': () => askFor({ toolCallId: 't1', title: 'ask_person', kind: 'execute' }),
  outside: () => askFor({ toolCallId: 't1', title: 'Edit', kind: 'edit', locations: [{ path: '/etc/hosts' }] }),
  link: () => askFor({ toolCallId: 't1', title: 'Edit', kind: 'edit', locations: [{ path: 'link/new/file' }] }),
  async question() {
    const asked = { mode: 'form', message: 'Which branch?', requestedSchema: { type: 'object' } };
    say(JSON.stringify(await ask('e1', 'elicitation/create', asked)));
    stop('end_turn');
  },
  /** Runs a tool in the first turn, and repeats what it is told in the others. */
  chat() {
    if (prompts.length > 1) {
      say(`heard ${prompts.at(-1)}`);
      stop('end_turn');
    } else update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'sleep', kind: 'execute' });
  },
  'chat-no-steering': () => ENDINGS.chat?.(),
  'chat-denied': () =>
    prompts.length > 1
      ? ENDINGS.chat?.()
      : askFor({ toolCallId: 't1', title: 'Edit', kind: 'edit', locations: [{ path: '/etc/hosts' }] }),
  'own-words'() {
    say('I try.');
    say('Error: 429 Too many requests, retry after 3600 s\n');
    stop('end_turn');
  },
  edit() {
    const diff = { type: 'diff', path: 'a.txt', oldText: 'one\ntwo\n', newText: 'one\nthree\n' };
    update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Edit a.txt', kind: 'edit', rawInput: { a: 1 } });
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed', content: [diff] });
    const rawOutput = { content: 'no such file', contents: [{ exitCode: 3 }] };
    update({ sessionUpdate: 'tool_call', toolCallId: 't2', title: 'ls x', kind: 'execute' });
    update({ sessionUpdate: 'tool_call_update', toolCallId: 't2', status: 'failed', rawOutput });
    stop('end_turn');
  },
  refusal: () => stop('refusal'),
  turns: () => stop('max_turn_requests'),
  tokens: () => stop('max_tokens'),
  spontaneous: () => stop('cancelled'),
  401: () => error(-32603, 'Internal error: 401 Unauthorized'),
  429: () => error(429, '{"error":{"code":429,"message":"Slow down","status":"RESOURCE_EXHAUSTED"}}'),
  500: () => error(-32603, 'Internal error', { details: 'connection refused by the model' }),
  auth: () => error(-32000, 'Authentication required'),
  crash() {
    process.stderr.write('segmentation fault of a kind\n');
    process.exit(3);
  },
  garbage() {
    process.stdout.write('Welcome!\n[1,2]\n"text"\n{"jsonrpc":"2.0","id":77,"result":{}}\n\u0000\n');
    process.stdout.write(`${'x'.repeat(9 * MIB)}\n`);
    ENDINGS.success?.();
  },
  flood() {
    for (let i = 0; i < 20_000; i++) say('word ');
    stop('end_turn');
  },
  asks() {
    process.stdin.pause();
    const params = { sessionId: SESSION, toolCall: { toolCallId: 't1', title: 'make' }, options: OPTIONS };
    for (let id = 0; id < 100_000; id++) send({ id, method: id % 2 ? 'session/request_permission' : 'new', params });
  },
  hang() {
    child = spawn('sleep', ['600']);
    update({ sessionUpdate: 'tool_call', toolCallId: 't1', title: `sleep ${child.pid}`, kind: 'execute' });
  },
};

const METHODS: Record<string, (params: Fields) => object> = {
  initialize: () => ({
    protocolVersion: ending === 'version' ? 7 : 1,
    agentCapabilities: { loadSession: ending !== 'no-load', mcpCapabilities: { http: ending !== 'no-http' } },
    _meta: { steering: { supported: ending !== 'chat-no-steering' } },
  }),
  'session/new'({ cwd, mcpServers }) {
    say('said before the prompt');
    for (const { name, headers } of mcpServers) process.stderr.write(`server ${name} ${headers[0].name}\n`);
    const modes = { currentModeId: 'auto', availableModes: [{ id: 'auto' }, { id: 'default' }] };
    return {
      sessionId: SESSION,
      configOptions: [{ id: 'model', category: 'model', type: 'select' }],
      modes,
      _meta: { cwd },
    };
  },
  'session/load'({ sessionId }) {
    if (sessionId !== SESSION) throw { code: -32002, message: 'Resource not found' };
    say('what was said yesterday');
    // Gemini CLI repeats the rest after its response.
    repeated = sleep(50).then(() => void say('what was said today'));
    return {};
  },
  '_session/steering': ({ prompt: [{ text }] }) => {
    say(`steered to ${text}`);
    setTimeout(() => stop('end_turn'), 10);
    return { outcome: 'injected' };
  },
  'session/set_mode': ({ modeId }) => {
    process.stderr.write(`mode ${modeId}\n`);
    return {};
  },
  'session/set_config_option': ({ value }) => {
    process.stderr.write(`model ${value}\n`);
    return { configOptions: [] };
  },
};

function receive({ id, method, params, result }: Fields): unknown {
  if (method === undefined) return waiting.get(id)?.(result);
  if (method === 'session/cancel') {
    child?.kill();
    return stop('cancelled');
  }
  if (method === 'session/prompt') {
    prompt = id;
    prompts.push(params.prompt[0].text);
    process.stderr.write(`prompt of ${params.prompt[0].text.length}\n`);
    const end = () => (ENDINGS[ending] ?? ENDINGS.success)?.();
    return repeated ? repeated.then(end) : end();
  }
  if (ending === 'mute') return;
  try {
    send({ id, result: METHODS[method]?.(params) });
  } catch (thrown) {
    send({ id, error: thrown });
  }
}

createInterface({ input: process.stdin }).on('line', (line) => receive(JSON.parse(line)));
