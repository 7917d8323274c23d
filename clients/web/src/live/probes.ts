const TIMEOUT_MS = 5_000;

/** Whether the session is over. `EventSource` does not tell why it failed. @throws without a connection */
export async function isSignedOut(): Promise<boolean> {
  const response = await get('/session?optional=true');
  return response.status === 401 || (response.ok && (await response.json()) === null);
}

/** The id of the first event after another one, if there is one. @throws without a connection, and if signed out */
export async function findNextEvent(after: number | undefined): Promise<number | undefined> {
  const response = await get(after === undefined ? '/events?limit=1' : `/events?limit=1&after=${after}`);
  if (response.status === 401) throw new Error('Signed out');
  if (!response.ok || after === undefined) return undefined;
  const [event] = (await response.json()) as { id: string }[];
  return event && Number(event.id);
}

function get(path: string): Promise<Response> {
  return fetch(path, { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(TIMEOUT_MS) });
}
