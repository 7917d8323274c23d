import { stoppedError } from './errors.ts';
import { safeLine } from './output/safe-text.ts';

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

function toQuestion({ stderr, signal }: Terminal, message: string) {
  // A terminal that does not know its size would get one letter a line.
  if (!stderr.columns) stderr.columns = 80;
  return { message: safeLine(message), output: stderr, signal };
}
