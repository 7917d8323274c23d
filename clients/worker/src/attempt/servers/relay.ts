import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { readText } from '../../ask-server.ts';
import { messageOf } from '../../errors.ts';
import { type JsonObject, objectOf, textOf } from '../../runtimes/json.ts';
import type { McpServer } from '../../runtimes/runtime.ts';
import type { OpenServer } from '../definition.ts';
import { type CommandOptions, CommandServer } from './command-server.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** A comment before an answer, which keeps the connection of who waits for it. */
const ALIVE_MS = 15_000;
const REQUEST = ['accept', 'content-type', 'last-event-id', 'mcp-protocol-version', 'mcp-session-id'];
const RESPONSE = ['content-type', 'mcp-session-id'];
const INTERNAL_ERROR = -32_603;

export interface RelayOptions {
  program: Pick<CommandOptions, 'cwd' | 'mark' | 'env'>;
  /** Undefined: the call may be made; else why not, for the agent. */
  refuse(server: string, tool: string, input: unknown, signal: AbortSignal): Promise<string | undefined>;
  onStderr(line: string): void;
  /** @param isStart whether the agent has no tools of the server at all */
  onFailure(message: string, isStart: boolean): void;
}

/**
 * Serves the MCP servers of a definition to the agent, over HTTP on the loopback: the secrets stay in the worker, and
 * whether a tool may be called is decided here for all runtimes.
 */
export async function openRelay(servers: readonly OpenServer[], options: RelayOptions) {
  const authorization = `Bearer ${randomBytes(24).toString('base64url')}`;
  const routes = new Map(servers.map((one) => [`/${one.name}`, createRoute(one, options)]));
  const reached = new Set<string>();
  const server = createServer((req, res) => {
    const { url = '', headers } = req;
    const route = routes.get(url);
    if (route === undefined || headers.authorization !== authorization) return void res.writeHead(401).end();
    reached.add(url);
    res.on('error', () => {});
    route.serve(req, res).catch(() => res.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    servers: servers.map(({ name }): McpServer => ({ name, url: `${base}/${name}`, headers: { authorization } })),
    /** Servers that the agent has not spoken to. */
    unreached: () => servers.filter(({ name }) => !reached.has(`/${name}`)).map(({ name }) => name),
    async close(): Promise<void> {
      server.close().closeAllConnections();
      for (const { close } of routes.values()) await close();
    },
  };
}

/** What one server does with the requests of an agent. */
function createRoute(server: OpenServer, { program, refuse, onStderr, onFailure }: RelayOptions) {
  const { name } = server;
  const send = 'command' in server ? sendToCommand : sendOn;
  const { env = {}, ...given } = 'command' in server ? server : { command: '', args: [] };
  const command = new CommandServer({
    ...{ ...program, ...given, env: { ...program.env, ...env } },
    onStderr: (line) => onStderr(`${name}: ${line}`),
  });

  /** Whether a call may be made; else it is answered. It may take a person's time. */
  async function admit({ id, params }: JsonObject, res: ServerResponse, signal: AbortSignal): Promise<boolean> {
    const { name: tool, arguments: input } = objectOf(params);
    res.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    const timer = setInterval(() => res.write(':\n\n'), ALIVE_MS);
    const refusal = await refuse(name, textOf(tool), input ?? {}, signal).finally(() => clearInterval(timer));
    // Who has gone away asks again.
    signal.throwIfAborted();
    const content = [{ type: 'text', text: refusal }];
    if (refusal !== undefined) end(res, { jsonrpc: '2.0', id, result: { isError: true, content } });
    return refusal === undefined;
  }

  async function sendToCommand(_: IncomingMessage, message: JsonObject | undefined, res: ServerResponse) {
    // It says nothing by itself.
    if (message === undefined) return void res.writeHead(405).end();
    const answer = await command.send(message);
    if (answer === undefined) res.writeHead(202).end();
    else end(res, answer);
  }

  /** A redirection is an answer like any other. */
  async function sendOn(
    req: IncomingMessage,
    message: JsonObject | undefined,
    res: ServerResponse,
    signal: AbortSignal,
  ) {
    const { url = '', headers = {} } = server as { url?: string; headers?: Record<string, string> };
    const own = Object.entries(req.headers).filter(([header]) => REQUEST.includes(header)) as [string, string][];
    const body = message && JSON.stringify(message);
    const { method = '' } = req;
    const response = await fetch(url, {
      ...{ method, signal, redirect: 'manual', headers: { ...Object.fromEntries(own), ...headers } },
      ...(body !== undefined && { body }),
    });
    const isCall = res.headersSent;
    const isEssential = isCall || message?.method === 'initialize';
    if (isEssential && !response.ok) throw new Error(`it answers ${response.status}`);
    if (isCall && !response.headers.get('content-type')?.includes('event-stream')) {
      return end(res, objectOf(await response.json()));
    }
    const kept = [...response.headers].filter(([header]) => RESPONSE.includes(header));
    if (!isCall) res.writeHead(response.status, Object.fromEntries(kept));
    if (response.body === null) res.end();
    else
      Readable.fromWeb(response.body)
        .on('error', () => res.destroy())
        .pipe(res);
  }

  return {
    async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const gone = new AbortController();
      res.on('close', () => gone.abort());
      const message = req.method === 'POST' ? objectOf(JSON.parse(await readText(req, MAX_BODY_BYTES))) : undefined;
      try {
        if (message?.method === 'tools/call' && !(await admit(message, res, gone.signal))) return;
        await send(req, message, res, gone.signal);
      } catch (thrown) {
        if (gone.signal.aborted) return;
        const why = `The MCP server ${name} cannot be used: ${describe(thrown)}`;
        onFailure(why, message?.method === 'initialize');
        end(res, { jsonrpc: '2.0', id: message?.id ?? null, error: { code: INTERNAL_ERROR, message: why } });
      }
    },
    close: () => command.close(),
  };
}

/** Of `fetch`, the cause says what has failed. */
const describe = (thrown: unknown) => messageOf((thrown as Error).cause ?? thrown);

function end(res: ServerResponse, answer: JsonObject): void {
  const json = JSON.stringify(answer);
  if (res.headersSent) res.end(`data: ${json}\n\n`);
  else res.writeHead(200, { 'content-type': 'application/json' }).end(json);
}
