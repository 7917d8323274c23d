import { styleText } from 'node:util';
import { type Failure, usageError } from '../errors.ts';
import { safeJson, safeLine, safeText } from './safe-text.ts';
import { type Column, fields, table } from './table.ts';
import { createProgress } from './terminal.ts';

export interface OutputOptions {
  /** True for `--json`, the names of the fields for `--json=a,b`. */
  json?: true | readonly string[];
  quiet?: boolean;
  color?: boolean;
  env: NodeJS.ProcessEnv;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
}

type Style = Parameters<typeof styleText>[0];

/** A line for people. All texts are made harmless when they are printed, so a style is not part of the text. */
export type Line = string | { style: Style; text: string; rest?: string };

/** Data goes to stdout, everything else to stderr. */
export type Output = ReturnType<typeof createOutput>;

export function createOutput({ json, quiet, color, env, stdout, stderr }: OutputOptions) {
  const isJson = json !== undefined;
  const hasColor = (stream: NodeJS.WriteStream) => !isJson && wantsColor(stream, env, color);
  const progress = createProgress(stderr, !quiet && !isJson && env.TERM !== 'dumb');
  const say = (text: string) => {
    progress.clear();
    stderr.write(`${text}\n`);
  };
  const write = (text: string) => {
    progress.clear();
    stdout.write(`${text}\n`);
  };
  const style = (format: Style, text: string) =>
    hasColor(stdout) ? styleText(format, text, { validateStream: false }) : text;
  const toText = (line: Line) =>
    typeof line === 'string' ? safeText(line) : style(line.style, safeText(line.text)) + safeText(line.rest ?? '');

  return {
    isJson,
    isQuiet: quiet === true,

    /** The columns of the terminal; undefined elsewhere. */
    get width(): number | undefined {
      return stdout.isTTY ? stdout.columns || 80 : undefined;
    },

    /** Lines as a terminal gets them. */
    toTexts: (lines: readonly Line[]): string[] => lines.map(toText),

    /** One record: as JSON, its id alone with `--quiet`, or as people read it. */
    record<T extends object>(value: T, toLines: (value: T) => readonly Line[]): void {
      if (isJson) write(safeJson(select(value, json), stdout.isTTY ? 2 : undefined));
      else if (quiet) write(safeText(idOf(value)));
      else write(toLines(value).map(toText).join('\n'));
    },

    /** A list: as a JSON array, ids with `--quiet`, or a table. `empty` is said on stderr when there is nothing. */
    list<T extends object>(rows: readonly T[], columns: readonly Column<T>[], empty: string): void {
      if (isJson) {
        write(
          safeJson(
            rows.map((row) => select(row, json)),
            stdout.isTTY ? 2 : undefined,
          ),
        );
      } else if (quiet) {
        for (const row of rows) write(safeText(idOf(row)));
      } else if (rows.length === 0) {
        this.note(empty);
      } else {
        const [titles = '', ...lines] = table(rows, columns, this.width);
        write([style('bold', titles), ...lines].join('\n'));
      }
    },

    /** One record of a stream: a line of JSON (NDJSON), or a line for people. */
    line<T extends object>(value: T, toLine: (value: T) => string): void {
      write(isJson ? safeJson(select(value, json)) : safeText(toLine(value)));
    },

    /** A JSON value as it is, such as the result of a task: texts are printed plainly to people. */
    value(value: unknown): void {
      if (isJson) write(safeJson(value));
      else write(typeof value === 'string' ? safeText(value) : safeJson(value, 2));
    },

    /** A text for another program, such as a patch: byte for byte, but harmless on a terminal. */
    exact(text: string): void {
      progress.clear();
      if (isJson) write(safeJson(text));
      else stdout.write(stdout.isTTY ? safeText(text) : text);
    },

    /** A text alone, such as a new key. */
    text: (text: string) => write(safeText(text)),

    /** Says something beside the data: on stderr, not with `--quiet` or `--json`. */
    note(text: string): void {
      if (!quiet && !isJson) say(safeText(text));
    },

    /** Shows a line of progress on a terminal until something else is printed; elsewhere nothing. */
    progress: progress.show,
    whileWaiting: progress.whileWaiting,

    debug: (text: string) => say(safeLine(text)),

    failure(failure: Failure): void {
      const label = hasColor(stderr) ? styleText('red', 'Error:', { validateStream: false }) : 'Error:';
      say(isJson ? failureJson(failure) : failureText(failure, label));
    },

    fields,
  };
}

function failureJson({ message, hint, code, status, requestId, fields: invalid }: Failure): string {
  return safeJson({ error: code, message, hint, status, request_id: requestId, fields: invalid });
}

function failureText({ message, hint, code, requestId }: Failure, label: string): string {
  if (code === 'interrupted') return `${message}. ${hint}`;
  const request = requestId ? ` (request ${requestId})` : '';
  return `${label} ${safeText(message)}${safeText(request)}\n${safeText(hint)}`;
}

function wantsColor(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv, color: boolean | undefined): boolean {
  if (color === false || env.NO_COLOR) return false;
  if (env.CLICOLOR_FORCE && env.CLICOLOR_FORCE !== '0') return true;
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/** The named fields; a name with dots leads into a field. @throws CliError for a name that the record does not have */
function select(value: object, json: true | readonly string[] | undefined): object {
  if (json === undefined || json === true) return value;
  return Object.fromEntries(json.map((name) => [name, read(value, name)]));
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
