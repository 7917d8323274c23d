import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Node's `HTTPParser.kOnExecute`: the parser calls it with the number of bytes parsed, or an error, each time it has read. */
const ON_EXECUTE = 5;

type Parsed = number | Error;

interface Parser {
  [ON_EXECUTE](parsed: Parsed): void;
  /** What it has just read, within `ON_EXECUTE`. */
  getCurrentBuffer(): Buffer;
  execute(bytes: Buffer): Parsed;
}

const watched = new WeakSet<Parser>();

/**
 * For Node's `shouldUpgradeCallback`: serves a request with `Upgrade` as if it had none (RFC 9110 section 7.8). The parser stops behind
 * it even so, and Node drops what it has read beyond, e.g. a pipelined request: this hands it to the parser.
 */
export function ignoreUpgrade({ socket }: IncomingMessage): boolean {
  const { parser } = socket as Socket & { parser?: Parser };
  if (parser && !watched.has(parser)) parseAll(parser, socket as Socket & { parser?: Parser });
  return false;
}

function parseAll(parser: Parser, socket: Socket & { parser?: Parser }): void {
  watched.add(parser);
  const onExecute = parser[ON_EXECUTE];
  // Node takes it off when the connection has closed: parsers are used again.
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
    onExecute(parsed);
    if (typeof parsed === 'number' && parsed < rest.length) parseRest(rest.subarray(parsed));
  }
}
