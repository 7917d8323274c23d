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

const watched = new WeakSet<Parser>();

/**
 * For Node's `shouldUpgradeCallback`: handles a request with `Upgrade` as if it had none (RFC 9110 section 7.8). Node's
 * parser nevertheless stops after such a request, and Node drops the bytes behind it, such as a pipelined request: this
 * passes them to the parser.
 */
export function ignoreUpgrade(req: IncomingMessage): boolean {
  const socket = req.socket as ServerSocket;
  const { parser } = socket;
  if (parser && !watched.has(parser)) parseAll(parser, socket);
  return false;
}

function parseAll(parser: Parser, socket: ServerSocket): void {
  const { server } = socket;
  watched.add(parser);
  const onExecute = parser[ON_EXECUTE];
  // Node removes it when the connection has closed, because it reuses parsers.
  socket.once('close', () => watched.delete(parser));
  parser[ON_EXECUTE] = (parsed) => {
    const rest = typeof parsed === 'number' ? parser.getCurrentBuffer().subarray(parsed) : undefined;
    onExecute(parsed);
    if (rest?.length) parseRest(rest);
  };

  function parseRest(rest: Buffer): void {
    // The connection has closed, or is no longer read as HTTP.
    if (socket.parser !== parser || socket.listenerCount('data') === 0) return;
    if (socket.isPaused()) {
      socket.once('resume', () => parseRest(rest));
      return;
    }
    const parsed = parser.execute(rest);
    // After an upgrade the parser reports no error: it just stops.
    if (parsed === 0) {
      server.emit('clientError', new Error('The bytes behind an Upgrade are not valid HTTP/1.1'), socket);
      return;
    }
    onExecute(parsed);
    if (typeof parsed === 'number' && parsed < rest.length) parseRest(rest.subarray(parsed));
  }
}
