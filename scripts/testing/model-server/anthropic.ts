import { type Answer, argsOf, type Fields, type ModelApi, newId, textOf, toEvent, toPieces } from './model-api.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Anthropic's `POST /v1/messages`. */
export const anthropic: ModelApi = {
  read(body) {
    const messages: Fields[] = body.messages ?? [];
    const isResult = (message: Fields) => Array.isArray(message.content) && message.content.some(isToolResult);
    const users = messages.filter(({ role }) => role === 'user');
    const last = users.findLastIndex((message) => !isResult(message));
    return {
      model: body.model ?? '',
      stream: body.stream === true,
      prompt: textOf(users[last]?.content),
      toolResults: users.slice(last + 1).flatMap(({ content }) => content.filter(isToolResult).map(textOf)),
      tools: (body.tools ?? []).map(({ name }: Fields) => name),
    };
  },
  json: (answer, model) => ({ ...head(answer, model), content: toBlocks(answer), stop_reason: stopReason(answer) }),
  events(answer, model) {
    const send = (data: { type: string } & Record<string, unknown>) => toEvent(data, data.type);
    const blocks = toBlocks(answer).flatMap((block, index) => [
      send({ type: 'content_block_start', index, content_block: toEmptyBlock(block) }),
      ...toDeltas(block).map((delta) => send({ type: 'content_block_delta', index, delta })),
      send({ type: 'content_block_stop', index }),
    ]);
    const { usage, ...message } = head(answer, model);
    return [
      send({ type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } }),
      ...blocks,
      send({
        type: 'message_delta',
        delta: { stop_reason: stopReason(answer), stop_sequence: null },
        usage: { output_tokens: usage.output_tokens },
      }),
      send({ type: 'message_stop' }),
    ];
  },
  error: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: newId('req'),
  }),
};

const isToolResult = ({ type }: Fields) => type === 'tool_result';
const stopReason = ({ tools }: Answer) => (tools.length > 0 ? 'tool_use' : 'end_turn');

function head({ usage }: Answer, model: string) {
  return {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [] as unknown[],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input_tokens - usage.cached_input_tokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: usage.cached_input_tokens,
      output_tokens: usage.output_tokens,
      service_tier: 'standard',
    },
  };
}

function toBlocks({ text, tools }: Answer): Fields[] {
  return [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...tools.map(({ name, args }) => ({ type: 'tool_use', id: newId('toolu'), name, input: args })),
  ];
}

const toEmptyBlock = (block: Fields) => (block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} });

function toDeltas(block: Fields): unknown[] {
  if (block.type === 'text') return toPieces(block.text).map((text) => ({ type: 'text_delta', text }));
  return [{ type: 'input_json_delta', partial_json: argsOf({ name: block.name, args: block.input }) }];
}
