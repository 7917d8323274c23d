import { styleText } from 'node:util';
import { type Failure, usageError } from '../errors.ts';
import { safeJson, safeLine, safeText } from './safe-text.ts';
import { type Column, fields, table } from './table.ts';
import { createProgress } from './terminal.ts';

type Style = Parameters<typeof styleText>[0];

export interface OutputOptions {
  /** True for `--json`, the names of the fields for `--json=a,b`. */
  json?: true | readonly string[];
  quiet?: boolean;
  color?: boolean;
  env: NodeJS.ProcessEnv;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

/** Of statuses of tasks and agents, and outcomes of attempts. */
const STATUS_STYLES: Record<string, Style> = {
  ...{ completed: 'green', idle: 'green', running: 'cyan', active: 'cyan', pending: 'yellow' },
  ...{ input_required: 'magenta', waiting: 'magenta', suspended: 'gray' },
  ...{ failed: 'red', error: 'red', timeout: 'red', lease_expired: 'red', cancelled: 'gray', offline: 'gray' },
};

/** A line for people. All texts are made harmless when they are printed, so a style is not part of the text. */
export type Line = string | { style: Style | 'status'; text: string; rest?: string };

/** Data goes to stdout, everything else to stderr. */
export class Output {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly fields = fields;
  readonly #options: OutputOptions;
  readonly #progress: ReturnType<typeof createProgress>;

  constructor(options: OutputOptions) {
    const { json, quiet = false, env, stderr } = options;
    this.#options = options;
    this.isJson = json !== undefined;
    this.isQuiet = quiet;
    this.#progress = createProgress(stderr, !quiet && !this.isJson && env.TERM !== 'dumb');
  }

  /** The columns of the terminal; undefined elsewhere. */
  get width(): number | undefined {
    const { stdout } = this.#options;
    return stdout.isTTY ? stdout.columns || 80 : undefined;
  }

  /** Lines as a terminal gets them. */
  toTexts(lines: readonly Line[]): string[] {
    return lines.map((line) =>
      typeof line === 'string'
        ? safeText(line)
        : this.#style(line.style, safeText(line.text)) + safeText(line.rest ?? ''),
    );
  }

  /** One record: as JSON, its id alone with `--quiet`, or as people read it. */
  record<T extends object>(value: T, toLines: (value: T) => readonly Line[]): void {
    if (this.isJson) this.#write(safeJson(this.#select(value), this.#indent));
    else if (this.isQuiet) this.#write(safeText(idOf(value)));
    else this.#write(this.toTexts(toLines(value)).join('\n'));
  }

  /** A list: as a JSON array, ids with `--quiet`, or a table. `empty` is said on stderr when there is nothing. */
  list<T extends object>(rows: readonly T[], columns: readonly Column<T>[], empty: string): void {
    if (this.isJson) {
      const selected = rows.map((row) => this.#select(row));
      this.#write(safeJson(selected, this.#indent));
    } else if (this.isQuiet) {
      for (const row of rows) this.#write(safeText(idOf(row)));
    } else if (rows.length === 0) {
      this.note(empty);
    } else {
      const [titles = '', ...lines] = table(rows, columns, this.width, this.#paint);
      this.#write([this.#style('bold', titles), ...lines].join('\n'));
    }
  }

  /** Lines for people. */
  lines(lines: readonly Line[]): void {
    this.#write(this.toTexts(lines).join('\n'));
  }

  /** One record of a stream: a line of JSON (NDJSON), or a line for people. */
  line<T extends object>(value: T, toLine: (value: T) => string): void {
    this.#write(this.isJson ? safeJson(this.#select(value)) : safeText(toLine(value)));
  }

  /** A JSON value as it is, such as the result of a task: texts are printed plainly to people. */
  value(value: unknown): void {
    if (this.isJson) this.#write(safeJson(value));
    else this.#write(typeof value === 'string' ? safeText(value) : safeJson(value, 2));
  }

  /** A text for another program, such as a patch: byte for byte, but harmless on a terminal. */
  exact(text: string): void {
    const { stdout } = this.#options;
    this.#progress.clear();
    if (this.isJson) this.#write(safeJson(text));
    else stdout.write(stdout.isTTY ? safeText(text) : text);
  }

  /** A text alone, such as a new key. */
  text(text: string): void {
    this.#write(safeText(text));
  }

  /** Says something beside the data: on stderr, not with `--quiet` or `--json`. */
  note(text: string): void {
    if (!this.isQuiet && !this.isJson) this.#say(safeText(text));
  }

  /** Shows a line of progress on a terminal until something else is printed; elsewhere nothing. */
  progress(text: string): void {
    this.#progress.show(text);
  }

  whileWaiting<T>(what: string, promise: Promise<T>): Promise<T> {
    return this.#progress.whileWaiting(what, promise);
  }

  debug(text: string): void {
    this.#say(safeLine(text));
  }

  failure(failure: Failure): void {
    const { stderr } = this.#options;
    const label = this.#hasColor(stderr) ? styleText('red', 'Error:', { validateStream: false }) : 'Error:';
    this.#say(this.isJson ? failureJson(failure) : failureText(failure, label));
  }

  get #indent(): number | undefined {
    return this.#options.stdout.isTTY ? 2 : undefined;
  }

  /** The named fields; a name with dots leads into a field. @throws CliError for one that the record does not have */
  #select(value: object): object {
    const { json } = this.#options;
    if (json === undefined || json === true) return value;
    return Object.fromEntries(json.map((name) => [name, read(value, name)]));
  }

  #hasColor(stream: NodeJS.WriteStream): boolean {
    const { env, color } = this.#options;
    if (this.isJson || color === false || env.NO_COLOR) return false;
    if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true;
    return stream.isTTY === true && env.TERM !== 'dumb';
  }

  readonly #paint = (title: string, cell: string): string =>
    title === 'STATUS' || title === 'OUTCOME' ? cell.replace(/^[a-z_]+/, (word) => this.#style('status', word)) : cell;

  #style(style: Style | 'status', text: string): string {
    const format = style === 'status' ? (STATUS_STYLES[text] ?? 'bold') : style;
    return this.#hasColor(this.#options.stdout) ? styleText(format, text, { validateStream: false }) : text;
  }

  #say(text: string): void {
    this.#progress.clear();
    this.#options.stderr.write(`${text}\n`);
  }

  #write(text: string): void {
    this.#progress.clear();
    this.#options.stdout.write(`${text}\n`);
  }
}

function failureJson({ message, hint, code, status, requestId, fields: invalid }: Failure): string {
  return safeJson({ error: code, message, hint, status, request_id: requestId, fields: invalid });
}

function failureText({ message, hint, code, requestId }: Failure, label: string): string {
  if (code === 'interrupted') return `${message}. ${hint}`;
  const request = requestId ? ` (request ${requestId})` : '';
  return `${label} ${safeText(message)}${safeText(request)}\n${safeText(hint)}`;
}

function read(value: object, name: string): unknown {
  let found: unknown = value;
  for (const part of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) {
      if (found === null) return null;
      throw usageError(`There is no field ${name}`, `The fields are ${Object.keys(value).join(', ')}`);
    }
    found = (found as Record<string, unknown>)[part];
  }
  return found;
}

/** What a script needs to name a record again. */
function idOf(value: object): string {
  const record = value as Record<string, unknown>;
  return String(record.id ?? record.worker_id ?? record.name ?? record.user ?? record.url ?? safeJson(value));
}
