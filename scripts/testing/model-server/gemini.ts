import { type Answer, type Fields, type ModelApi, newId, textOf, toEvent, toPieces } from './model-api.ts';

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** Gemini's `POST /v1beta/models/<model>:generateContent` and `:streamGenerateContent`. */
export const gemini: ModelApi = {
  read(body, path) {
    const contents: Fields[] = (body.contents ?? []).filter(({ role }: Fields) => role !== 'model');
    const last = contents.findLastIndex(({ parts }) => !parts?.some(isResult));
    return {
      model: /models\/([^:/?]+)/.exec(path)?.[1] ?? '',
      stream: path.includes(':streamGenerateContent'),
      prompt: textOf(contents[last]?.parts),
      toolResults: contents.slice(last + 1).flatMap(({ parts }) => parts.filter(isResult).map(toResultText)),
      tools: (body.tools ?? []).flatMap(({ functionDeclarations = [] }: Fields) =>
        functionDeclarations.map(({ name }: Fields) => name),
      ),
    };
  },
  json: (answer, model) => toChunk(answer, model, toParts(answer, [answer.text])),
  events(answer, model) {
    const parts = toParts(answer, toPieces(answer.text));
    return parts.map((part, index) =>
      toEvent(toChunk(answer, model, [part], index === parts.length - 1 ? 'STOP' : undefined)),
    );
  },
  error: (code, message) => ({ error: { code, message, status: STATUSES[code] ?? 'UNKNOWN' } }),
};

const isResult = (part: Fields) => part.functionResponse !== undefined;
const toResultText = ({ functionResponse }: Fields) => JSON.stringify(functionResponse.response);

function toParts({ text, tools }: Answer, pieces: readonly string[]) {
  return [
    ...(text === '' && tools.length > 0 ? [] : pieces.map((piece) => ({ text: piece }))),
    ...tools.map(({ name, args }) => ({ functionCall: { id: newId('call'), name, args } })),
  ];
}

function toChunk({ usage }: Answer, model: string, parts: unknown[], finishReason: string | undefined = 'STOP') {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
    usageMetadata: {
      promptTokenCount: usage.input_tokens,
      cachedContentTokenCount: usage.cached_input_tokens,
      candidatesTokenCount: usage.output_tokens - usage.reasoning_tokens,
      thoughtsTokenCount: usage.reasoning_tokens,
      totalTokenCount: usage.input_tokens + usage.output_tokens,
    },
    modelVersion: model,
    responseId: newId('resp'),
  };
}
