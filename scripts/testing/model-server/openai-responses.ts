import { type Answer, argsOf, type Fields, type ModelApi, newId, textOf, toEvent, toPieces } from './model-api.ts';

const ERROR_CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };

/** OpenAI's `POST /v1/responses`. */
export const openaiResponses: ModelApi = {
  read(body) {
    const items: Fields[] =
      typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : (body.input ?? []);
    const last = items.findLastIndex(({ role }) => role === 'user');
    return {
      model: body.model ?? '',
      stream: body.stream === true,
      prompt: textOf(items[last]?.content),
      toolResults: items
        .slice(last + 1)
        .filter(isResult)
        .map(({ output }) => textOf(output)),
      tools: (body.tools ?? []).map(({ name, type }: Fields) => name ?? type),
    };
  },
  json: (answer, model) => toResponse(answer, model, toItems(answer)),
  events(answer, model) {
    let sequence_number = 0;
    const send = (data: { type: string } & Record<string, unknown>) => {
      sequence_number += 1;
      return toEvent({ ...data, sequence_number }, data.type);
    };
    const items = toItems(answer);
    const response = toResponse(answer, model, items);
    const begun = { ...response, status: 'in_progress', output: [], usage: null };
    return [
      send({ type: 'response.created', response: begun }),
      send({ type: 'response.in_progress', response: begun }),
      ...items.flatMap((item, output_index) => [
        send({ type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } }),
        ...toDeltas(item).map((delta) => send({ ...delta, output_index, item_id: item.id })),
        send({ type: 'response.output_item.done', output_index, item }),
      ]),
      send({ type: 'response.completed', response }),
    ];
  },
  error: openaiError,
};

const isResult = ({ type }: Fields) => type === 'function_call_output' || type === 'custom_tool_call_output';

function toItems({ text, tools }: Answer): Fields[] {
  const message = {
    type: 'message',
    id: newId('msg'),
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  };
  return [
    ...(text === '' ? [] : [message]),
    ...tools.map((call) => {
      const item = {
        id: newId('fc'),
        call_id: newId('call'),
        name: call.name,
        namespace: call.namespace,
        status: 'completed',
      };
      if (typeof call.args === 'string') return { ...item, type: 'custom_tool_call', input: call.args };
      return { ...item, type: 'function_call', arguments: argsOf(call) };
    }),
  ];
}

function toDeltas(item: Fields): { type: string; [field: string]: unknown }[] {
  if (item.type === 'function_call') {
    return [
      { type: 'response.function_call_arguments.delta', delta: item.arguments },
      { type: 'response.function_call_arguments.done', arguments: item.arguments },
    ];
  }
  if (item.type !== 'message') return [];
  const [part] = item.content;
  return [
    { type: 'response.content_part.added', content_index: 0, part: { ...part, text: '' } },
    ...toPieces(part.text).map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta })),
    { type: 'response.output_text.done', content_index: 0, text: part.text },
    { type: 'response.content_part.done', content_index: 0, part },
  ];
}

function toResponse({ usage }: Answer, model: string, output: Fields[]) {
  return {
    id: newId('resp'),
    object: 'response',
    created_at: Math.floor(Date.now() / 1_000),
    status: 'completed',
    error: null,
    incomplete_details: null,
    model,
    output,
    parallel_tool_calls: true,
    tool_choice: 'auto',
    tools: [],
    usage: {
      input_tokens: usage.input_tokens,
      input_tokens_details: { cached_tokens: usage.cached_input_tokens },
      output_tokens: usage.output_tokens,
      output_tokens_details: { reasoning_tokens: usage.reasoning_tokens },
      total_tokens: usage.input_tokens + usage.output_tokens,
    },
  };
}

function openaiError(status: number, message: string): unknown {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type, param: null, code: ERROR_CODES[status] ?? null } };
}
