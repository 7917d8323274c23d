import type { Answer, Ask } from './messages.ts';

type Fields = Record<string, unknown>;

const INVALID = { code: -32_601, message: 'Method not found' };
const TOOL = {
  name: 'ask_person',
  description: 'Asks a person, and waits for the answer. For decisions that you must not or cannot make yourself.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string' },
      options: { type: 'array', items: { type: 'string' }, maxItems: 20, description: 'Answers to choose from' },
    },
    required: ['question'],
  },
};

/** Answers a message of the Model Context Protocol over HTTP; undefined for a notification. `ask` asks a person. */
export async function answerMcp({ id, method, params }: Fields, ask: (ask: Omit<Ask, 'key'>) => Promise<Answer>) {
  if (id === undefined) return undefined;
  const given = (params ?? {}) as Fields;
  const reply = (result: object) => ({ jsonrpc: '2.0', id, result });
  if (method === 'initialize') {
    const serverInfo = { name: 'fleet', version: '1' };
    return reply({ protocolVersion: given.protocolVersion, capabilities: { tools: {} }, serverInfo });
  }
  if (method === 'ping') return reply({});
  if (method === 'tools/list') return reply({ tools: [TOOL] });
  if (method !== 'tools/call' || given.name !== TOOL.name) return { jsonrpc: '2.0', id, error: INVALID };
  const { question, options } = (given.arguments ?? {}) as Fields;
  const labels = Array.isArray(options) ? options.map(String) : [];
  const choices = labels.map((label, at) => ({ id: `option_${at + 1}`, label }));
  const answer = await ask({ kind: 'question', title: String(question), text: String(question), options: choices });
  const chosen = choices.filter((choice) => answer?.option_ids?.includes(choice.id)).map(({ label }) => label);
  const text = [...chosen, answer?.text].filter((part) => part).join('\n') || 'Nobody has answered.';
  return reply({ content: [{ type: 'text', text }] });
}
