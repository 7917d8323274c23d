import type { Command } from 'commander';
import type { Act, Context } from '../../context.ts';
import { CliError, EXIT, usageError } from '../../errors.ts';
import { collect } from '../../lookup.ts';

interface AskOptions {
  option?: string[];
  text?: boolean;
  expires?: string;
}

/** Asks the people of the fleet, for a program that works on a task. */
async function ask(context: Context, title: string, { option, text, expires }: AskOptions): Promise<void> {
  const response = await send(context, '/ask', {
    kind: 'question',
    title,
    ...(option && { options: option.map(toOption), allow_text: text ?? false }),
    ...(expires !== undefined && { expires_in_seconds: toSeconds(expires) }),
  });
  const { answer, error } = (await response.json()) as { answer?: Given | null; error?: string };
  if (error !== undefined) throw new CliError(EXIT.failed, 'refused', error, 'Correct the question.');
  if (!answer) throw new CliError(EXIT.stopped, 'closed', 'Nobody has answered', 'The request was withdrawn.');
  const lines = [...(answer.option_ids ?? []), ...(answer.text === null ? [] : [answer.text])];
  if (context.out.isJson) context.out.record(answer, () => []);
  else context.out.text(lines.join('\n'));
}

interface Given {
  option_ids: string[] | null;
  text: string | null;
}

async function tell(context: Context, text: string): Promise<void> {
  await send(context, '/tell', { text: text === '-' ? (await context.readStdin()).trimEnd() : text });
}

/** @throws CliError where no worker has started this program, or it has gone */
async function send({ env, signal }: Context, path: string, body: object): Promise<Response> {
  const { FLEET_ASK_URL: url, FLEET_ASK_KEY: key } = env;
  if (!url || !key)
    throw usageError('No worker has started this program', 'It is for programs of fleet worker --exec.');
  const headers = { authorization: `Bearer ${key}` };
  const request = fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), signal });
  const response = await request.catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new CliError(EXIT.unavailable, 'unavailable', 'The worker does not answer', 'It has stopped.', error);
  });
  if (response.ok) return response;
  throw new CliError(EXIT.credentials, 'closed', `The worker refuses it (${response.status})`, 'The attempt is over.');
}

function toOption(text: string) {
  const at = text.indexOf('=');
  return at < 0 ? { id: text, label: text } : { id: text.slice(0, at), label: text.slice(at + 1) };
}

function toSeconds(text: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined) throw usageError(`--expires must be a time such as 1h, not ${text}`);
  return Number(amount) * ({ s: 1, m: 60, h: 3_600, d: 86_400 }[unit] ?? 1);
}

export function registerAsk(command: Command, act: Act): void {
  command
    .argument('<title>')
    .option('--option <id=label>', 'a choice; may be repeated', collect)
    .option('--text', 'words may stand beside a choice; without options, they are the answer')
    .option('--expires <time>', 'such as 1h; by default 24 h. Then the task fails')
    .action(act(ask));
}

export function registerTell(command: Command, act: Act): void {
  command.argument('<text>', 'Markdown; - reads it from stdin').action(act(tell));
}
