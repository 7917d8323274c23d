import { stoppedError } from '../errors.ts';
import { safeLine } from './safe-text.ts';

const CLEAR_LINE = '\r\x1b[2K';
/** Progress is shown for what takes longer, and then once a second. */
const TICK_MS = 1_000;

/** A line on a terminal that goes when something else is printed; nothing where there is no terminal. */
export function createProgress(stderr: NodeJS.WriteStream, isWanted: boolean) {
  const isOn = isWanted && stderr.isTTY === true;
  let isShown = false;

  function show(text: string): void {
    if (!isOn) return;
    stderr.write(CLEAR_LINE + safeLine(text).slice(0, (stderr.columns || 80) - 1));
    isShown = true;
  }

  function clear(): void {
    if (isShown) stderr.write(CLEAR_LINE);
    isShown = false;
  }

  /** Says for how long something has been waited for. */
  async function whileWaiting<T>(what: string, promise: Promise<T>): Promise<T> {
    if (!isOn) return promise;
    const since = Date.now();
    const timer = setInterval(() => show(`${what} (${Math.round((Date.now() - since) / 1_000)} s)`), TICK_MS);
    try {
      return await promise;
    } finally {
      clearInterval(timer);
      clear();
    }
  }

  return { show, clear, whileWaiting };
}

interface Terminal {
  stderr: NodeJS.WriteStream;
  signal: AbortSignal;
}

/** Asks on stderr, as stdout is data. @throws CliError when the user cancels */
export async function ask(terminal: Terminal, message: string, isSecret = false): Promise<string> {
  const { text, password } = await import('@clack/prompts');
  const question = toQuestion(terminal, message);
  const answer = isSecret ? await password(question) : await text(question);
  if (typeof answer !== 'string') throw stoppedError();
  return answer;
}

/** @throws CliError when the user cancels */
export async function askYesNo(terminal: Terminal, message: string): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  const answer = await confirm({ ...toQuestion(terminal, message), initialValue: false });
  if (typeof answer !== 'boolean') throw stoppedError();
  return answer;
}

/** What all prompts have. */
export function toQuestion({ stderr, signal }: Terminal, message: string) {
  // A terminal that does not know its size would get one letter a line.
  if (!stderr.columns) stderr.columns = 80;
  return { message: safeLine(message), output: stderr, signal };
}
