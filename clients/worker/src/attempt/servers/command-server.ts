import { createLineSplitter } from '../../pieces.ts';
import { type ProgramGroup, startGroup } from '../../processes/program-group.ts';
import { type JsonObject, objectOf, textOf } from '../../runtimes/json.ts';
import { JsonRpc, METHOD_NOT_FOUND } from '../../runtimes/session/json-rpc.ts';
import { linesOf } from '../../runtimes/session/program-session.ts';

export interface CommandOptions {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  /** Of its process: the workspace. */
  cwd: string;
  /** Of the attempt, whose end kills it. */
  mark: string;
  onStderr(line: string): void;
}

/** An MCP server over stdin and stdout, one process for all that speak to it; it is started anew after its end. */
export class CommandServer {
  readonly #options: CommandOptions;
  #running: Promise<{ group: ProgramGroup; rpc: JsonRpc; ended: Promise<never> }> | undefined;
  /** What it has answered to `initialize`, which it may be asked once. */
  #initialized: Promise<JsonObject> | undefined;

  constructor(options: CommandOptions) {
    this.#options = options;
  }

  /** Undefined for a notification. @throws Error if the program does not start, or ends before it answers */
  async send({ id, method, params }: JsonObject): Promise<JsonObject | undefined> {
    this.#running ??= this.#start();
    const { rpc, ended } = await this.#running;
    if (id === undefined) {
      rpc.notify(textOf(method), objectOf(params));
      return undefined;
    }
    const call = () => {
      const answer = Promise.withResolvers<JsonObject>();
      rpc.request(textOf(method), objectOf(params), ({ result, error }) => {
        answer.resolve(error ? { error } : { result });
        return undefined;
      });
      return Promise.race([answer.promise, ended]);
    };
    if (method === 'initialize') this.#initialized ??= call();
    return { jsonrpc: '2.0', id, ...(await (method === 'initialize' ? this.#initialized : call())) };
  }

  async #start() {
    const { command, onStderr, ...options } = this.#options;
    const group = await startGroup({ path: command, ...options });
    const stderr = createLineSplitter(onStderr);
    group.child.stderr.on('data', (chunk: Buffer) => stderr.add(chunk));
    // The agent is no party to what a server asks by itself.
    const error = { code: METHOD_NOT_FOUND, message: 'This client only calls tools' };
    const onRequest = (id: unknown) => {
      rpc.respond(id, { error });
      return [];
    };
    const rpc: JsonRpc = new JsonRpc(group.child.stdin, { onRequest, onNotification: () => [] });
    const ended = (async () => {
      for await (const line of linesOf(group.stdout)) if ('object' in line) Array.from(rpc.read(line.object));
      const { code, signal } = await group.exited;
      this.#running = undefined;
      this.#initialized = undefined;
      throw new Error(`it has ended (${signal ?? `exit code ${code}`})`);
    })();
    ended.catch(() => {});
    return { group, rpc, ended };
  }

  async close(): Promise<void> {
    await this.#running?.then(({ group }) => group.terminate(1_000)).catch(() => {});
  }
}
