import { type Answer, argsOf, type Fields, type ModelApi, newId, textOf, toEvent, toPieces } from './model-api.ts';

const ERROR_CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };

/** OpenAI's `POST /v1/chat/completions`. */
export const openaiChat: ModelApi = {
  read(body) {
    const messages: Fields[] = body.messages ?? [];
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const after = messages.slice(last + 1);
    return {
      model: body.model ?? '',
      stream: body.stream === true,
      prompt: textOf(messages[last]?.content),
      toolResults: after.filter(({ role }) => role === 'tool').map(({ content }) => textOf(content)),
      tools: (body.tools ?? []).map(({ function: { name } }: Fields) => name),
    };
  },
  json: (answer, model) => ({
    ...head(model, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text || null,
          ...(hasTools(answer) && { tool_calls: toCalls(answer) }),
        },
        finish_reason: finishReason(answer),
      },
    ],
    usage: toUsage(answer),
  }),
  events(answer, model) {
    const chunk = head(model, 'chat.completion.chunk');
    const send = (delta: unknown, finish_reason: string | null = null) =>
      toEvent({ ...chunk, choices: [{ index: 0, delta, finish_reason }], usage: null });
    return [
      send({ role: 'assistant', content: '' }),
      ...(answer.text === '' ? [] : toPieces(answer.text).map((content) => send({ content }))),
      ...toCalls(answer).map((call, index) => send({ tool_calls: [{ index, ...call }] })),
      send({}, finishReason(answer)),
      toEvent({ ...chunk, choices: [], usage: toUsage(answer) }),
      toEvent('[DONE]'),
    ];
  },
  error: openaiError,
};

export function openaiError(status: number, message: string): unknown {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type, param: null, code: ERROR_CODES[status] ?? null } };
}

const hasTools = ({ tools }: Answer) => tools.length > 0;
const finishReason = (answer: Answer) => (hasTools(answer) ? 'tool_calls' : 'stop');

function head(model: string, object: string) {
  return { id: newId('chatcmpl'), object, created: Math.floor(Date.now() / 1_000), model };
}

function toCalls({ tools }: Answer) {
  return tools.map((call) => ({
    id: newId('call'),
    type: 'function',
    function: { name: call.name, arguments: argsOf(call) },
  }));
}

function toUsage({ usage }: Answer) {
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.input_tokens + usage.output_tokens,
    prompt_tokens_details: { cached_tokens: usage.cached_input_tokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoning_tokens },
  };
}
