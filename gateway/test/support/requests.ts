/** The headers of a bearer token. */
export function withToken(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** The header of an API key. */
export function withApiKey(key: string): Record<string, string> {
  return { 'x-api-key': key };
}

/** The status and the body of a request. */
export async function send({ url }: { url: string }, path: string, init: RequestInit = {}) {
  const response = await fetch(url + path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** The status of a GET. */
export async function statusOf(gateway: { url: string }, headers: Record<string, string>, path = '/agents') {
  return (await send(gateway, path, { headers })).status;
}
