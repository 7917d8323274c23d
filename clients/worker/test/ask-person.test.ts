import { expect, test } from '@jest/globals';
import { startAskServer } from '../src/ask-server.ts';
import type { Answer, Ask } from '../src/messages.ts';

test('the tool ask_person asks a person, for who has the key of the attempt', async () => {
  const server = await startAskServer();
  const asked: Ask[] = [];
  const ask = async (request: Ask): Promise<Answer> => {
    asked.push(request);
    return { option_ids: ['option_2'], text: 'or C', values: null };
  };
  const { mcp, close } = server.open({ ask, log: () => {} });
  const send = (method: string, params: object, headers: Record<string, string> = mcp.headers) =>
    fetch(mcp.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
  const resultOf = async (response: Promise<Response>) => {
    const { result } = (await (await response).json()) as { result: { tools?: unknown } };
    return result;
  };
  expect(await resultOf(send('initialize', { protocolVersion: '2025-06-18' }))).toMatchObject({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
  });
  expect((await resultOf(send('tools/list', {}))).tools).toMatchObject([{ name: 'ask_person' }]);
  const call = { name: 'ask_person', arguments: { question: 'Which?', options: ['A', 'B'] } };
  expect(await resultOf(send('tools/call', call))).toEqual({ content: [{ type: 'text', text: 'B\nor C' }] });
  expect(asked).toMatchObject([{ kind: 'question', title: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }]);
  expect((await send('ping', {}, { authorization: 'Bearer x' })).status).toBe(401);
  close();
  expect((await send('ping', {})).status).toBe(401);
  server.close();
});
