import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Node's `HTTPParser.kOnExecute`: the parser calls it after each read, with the number of parsed bytes or an error. */
const ON_EXECUTE = 5;

type Parsed = number | Error;

interface Parser {
  [ON_EXECUTE](parsed: Parsed): void;
  /** The bytes just read; valid during `ON_EXECUTE`. */
  getCurrentBuffer(): Buffer;
  execute(bytes: Buffer): Parsed;
}

/** The properties that Node sets on a socket of an HTTP server. */
interface ServerSocket extends Socket {
  server: Server;
  parser?: Parser;
}

/** Of sockets, because Node reuses parsers for other connections. */
const watched = new WeakSet<Socket>();
/** Sockets whose parser will stop, once, at the end of a request with `Upgrade`. */
const upgrading = new WeakSet<Socket>();

/**
 * For Node's `shouldUpgradeCallback`: handles a request with `Upgrade` as if it had none (RFC 9110 section 7.8). Node's
 * parser nevertheless stops after such a request, and Node drops the bytes behind it, such as a pipelined request: this
 * passes them to the parser.
 */
export function ignoreUpgrade(req: IncomingMessage): boolean {
  const socket = req.socket as ServerSocket;
  const { parser } = socket;
  if (parser) {
    upgrading.add(socket);
    if (!watched.has(socket)) parseAll(parser, socket);
  }
  return false;
}

function parseAll(parser: Parser, socket: ServerSocket): void {
  const { server } = socket;
  watched.add(socket);
  // Node sets it for each connection.
  const onExecute = parser[ON_EXECUTE];
  parser[ON_EXECUTE] = (parsed) => {
    const bytes = typeof parsed === 'number' ? parser.getCurrentBuffer() : undefined;
    onExecute(parsed);
    if (bytes) parseRest(restOf(bytes, parsed));
  };

  function parseRest(first: Buffer | undefined): void {
    // Until the connection has closed, or is no longer read as HTTP.
    for (let rest = first; rest && socket.parser === parser && socket.listenerCount('data') > 0; ) {
      if (socket.isPaused()) {
        const paused = rest;
        socket.once('resume', () => parseRest(paused));
        return;
      }
      const parsed = parser.execute(rest);
      onExecute(parsed);
      rest = restOf(rest, parsed);
    }
  }

  /**
   * The bytes behind a request with `Upgrade`. After such a request the parser reports no error: it stops, and then
   * returns positions in bytes that it has read before.
   */
  function restOf(bytes: Buffer, parsed: Parsed): Buffer | undefined {
    if (parsed instanceof Error || parsed === bytes.length) return undefined;
    if (upgrading.delete(socket)) return bytes.subarray(parsed);
    server.emit('clientError', new Error('The bytes behind an Upgrade are not valid HTTP/1.1'), socket);
    return undefined;
  }
}
