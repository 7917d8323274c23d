export interface Item {
  id: string;
  type: string;
  agent_id: string;
  task_id?: string;
  text: string;
  data?: { type?: string };
}

/** Opens a stream of Server-Sent Events and reads it in the background, until it is closed or the service ends it. */
export async function openStream(url: string, headers: Record<string, string> = {}) {
  const controller = new AbortController();
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  const stream = {
    status: response.status,
    text: '',
    ended: false,
    items: (): Item[] => [...stream.text.matchAll(/^data: (.+)\n\n/gm)].map(([, data = '']) => JSON.parse(data)),
    close: () => controller.abort(),
  };
  const read = async () => {
    for await (const part of response.body as ReadableStream<Uint8Array>) stream.text += Buffer.from(part).toString();
  };
  void read()
    .catch(() => {})
    .finally(() => {
      stream.ended = true;
    });
  return stream;
}
