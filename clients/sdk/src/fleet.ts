import createClient from 'openapi-fetch';
import { FleetError, FleetUnavailableError } from './errors.ts';
import { readEvents, type StreamEvent, type StreamOptions } from './events.ts';
import { FORM_POSTS, POSTS_WITH_KEY, type paths } from './generated/api.ts';
import { type FleetOptions, type Settings, toSettings } from './options.ts';
import type {
  Api,
  Call,
  CallOptions,
  Event,
  Init,
  ItemOf,
  ListPath,
  LogEntry,
  Method,
  PathsWith,
  Task,
} from './requests.ts';
import { type Limits, type Outgoing, send, toOutgoing } from './send.ts';
import { type TaskKey, type WaitOptions, waitForTask } from './wait-for-task.ts';

/** The paths that stream. */
type StreamPath = Extract<PathsWith<'get'>, `${string}/events` | `${string}/log-entries`>;
type DataOfStream<Path> = Path extends `${string}/log-entries` ? LogEntry : Event;

type StreamInit<Path extends StreamPath> =
  Init<Path, 'get'> extends [infer Given] ? [Given & StreamOptions] : [(Init<Path, 'get'>[0] & StreamOptions)?];

/** A fleet over its HTTP API. All calls are typed by the paths of the API document. */
export interface Fleet {
  get: Call<'get'>;
  post: Call<'post'>;
  put: Call<'put'>;
  delete: Call<'delete'>;
  /** The client of openapi-fetch, with this fleet's credentials, time limit and retries: it returns errors. */
  api: Api;
  /** All records of a list, page by page. @throws FleetError; the signal's reason */
  paginate<Path extends ListPath>(
    path: Path,
    ...init: Init<Path, 'get'>
  ): AsyncGenerator<ItemOf<Path>, void, undefined>;
  /** Waits until a task has ended, also while the fleet is unavailable. @throws FleetError; the signal's reason */
  waitForTask(task: TaskKey, options?: WaitOptions): Promise<Task>;
  /** Events or log entries as they come, until the stream is over. @throws FleetError; the signal's reason */
  events<Path extends StreamPath>(
    path: Path,
    ...init: StreamInit<Path>
  ): AsyncGenerator<StreamEvent<DataOfStream<Path>>, void, undefined>;
}

/** @throws TypeError, RangeError for an invalid option */
export function createFleet(options: FleetOptions): Fleet {
  const settings = toSettings(options);
  const { baseUrl, timeoutMs, retries, json } = settings;
  const api = createClient<paths>({
    baseUrl,
    bodySerializer: (body) => json.stringify(body),
    fetch: (request) => sendRaw(settings, request, { timeoutMs, retries }),
  });
  const callBy = (method: Method) => createCall(settings, api, method);
  const get = callBy('get') as Call<'get'>;

  async function* paginate(path: string, init: AnyInit = {}) {
    for (let query = init.params?.query ?? {}, last = ''; ; ) {
      const { data, response } = await (get as AnyCall)(path, { ...init, params: { ...init.params, query } });
      yield* data as unknown[];
      const next = nextQuery(response);
      if (next === undefined) return;
      if (JSON.stringify(next) === last) throw new FleetUnavailableError('a page links to itself as the next');
      last = JSON.stringify(next);
      query = next;
    }
  }

  async function* events(path: string, { params, ...streamOptions }: AnyInit & StreamOptions = {}) {
    yield* readEvents(settings, await toOutgoingGet(api, path, params), streamOptions);
  }

  return {
    get,
    post: callBy('post') as Call<'post'>,
    put: callBy('put') as Call<'put'>,
    delete: callBy('delete') as Call<'delete'>,
    api,
    paginate: paginate as Fleet['paginate'],
    waitForTask: (task, waitOptions) => waitForTask(get, task, waitOptions),
    events: events as Fleet['events'],
  };
}

interface AnyInit extends CallOptions {
  params?: { path?: object; query?: Record<string, unknown>; header?: Record<string, unknown> };
  body?: unknown;
}

type AnyCall = (path: string, init?: AnyInit) => Promise<{ data: unknown; response: Response }>;
type AnyClient = { request(method: Method, path: string, init: object): Promise<{ data: string; response: Response }> };

function createCall(settings: Settings, api: Api, method: Method): AnyCall {
  return async (path, { params, headers, body, signal, idempotencyKey, ...limits }: AnyInit = {}) => {
    checkSegments(params?.path);
    const { retries = settings.retries, timeoutMs = settings.timeoutMs + heldMs(params?.query, body) } = limits;
    const header: Record<string, unknown> = { ...headers, ...params?.header };
    if (method === 'post' && POSTS_WITH_KEY.includes(path)) {
      header['Idempotency-Key'] ??= idempotencyKey ?? randomKey();
    }
    const isForm = method === 'post' && FORM_POSTS.includes(path);
    if (isForm) header['Content-Type'] = 'application/x-www-form-urlencoded';
    const { data: text, response } = await (api as unknown as AnyClient).request(method, path, {
      params: { ...params, header },
      body,
      ...(isForm && { bodySerializer: (fields: Record<string, string>) => String(new URLSearchParams(fields)) }),
      parseAs: 'text',
      fetch: (request: Request) => send(settings, request, { signal, retries, timeoutMs }),
    });
    return { data: toData(settings, text, response), response };
  };
}

/** As `send`, but resolves with any response instead of throwing it as an error. */
async function sendRaw(settings: Settings, request: Request, limits: Limits): Promise<Response> {
  try {
    return await send(settings, request, limits);
  } catch (error) {
    if (error instanceof FleetError && error.response) return error.response;
    throw error;
  }
}

/** `.` and `..` are no segments: `fetch` would send the request to another path. @throws TypeError */
function checkSegments(path: object = {}): void {
  for (const [name, value] of Object.entries(path)) {
    if (/^\.{0,2}$/.test(String(value))) throw new TypeError(`${name} must be an id, not "${value}"`);
  }
}

/** JSON as its value, other types as text. @throws FleetUnavailableError for a page of an intermediary */
function toData({ json }: Settings, text: string | undefined, { status, headers }: Response): unknown {
  if (!text) return undefined;
  const type = headers.get('content-type') ?? '';
  if (!/\bjson\b|^text\/html/.test(type)) return text;
  try {
    return json.parse(text);
  } catch (cause) {
    throw new FleetUnavailableError(`response ${status} is not JSON`, { status, cause });
  }
}

/** The time that a request itself asks the fleet to wait. */
function heldMs(query: Record<string, unknown> | undefined, body: unknown): number {
  const { wait_seconds: seconds = query?.wait } = (body ?? {}) as { wait_seconds?: unknown };
  return (Number(seconds) || 0) * 1000;
}

/** `crypto.randomUUID` is missing in pages that were loaded without TLS. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The request for a path as openapi-fetch builds it. */
async function toOutgoingGet(api: Api, path: string, params: AnyInit['params']): Promise<Outgoing> {
  let outgoing: Outgoing | undefined;
  const fetch = async (request: Request) => {
    outgoing = await toOutgoing(request);
    return new Response(null, { status: 204 });
  };
  checkSegments(params?.path);
  await (api as unknown as AnyClient).request('get', path, { params, fetch });
  return outgoing as unknown as Outgoing;
}

/** The query of the next page, from a `Link` header (RFC 8288); undefined after the last. */
function nextQuery({ headers }: Response): Record<string, string | string[]> | undefined {
  const target = /<([^>]*)>\s*;[^,<]*\brel="?next"?/.exec(headers.get('link') ?? '')?.[1];
  if (target === undefined) return undefined;
  // Only the query: behind a reverse proxy the path may be another.
  const { searchParams } = new URL(target, 'http://fleet');
  const names = new Set(searchParams.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
}
