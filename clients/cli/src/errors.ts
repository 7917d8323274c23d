import { FleetError, FleetUnavailableError } from '@agent-fleet/sdk';

/** The exit codes of `fleet`. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** Cancelled by the user, or `--timeout` is over. */
  stopped: 3,
  credentials: 4,
  /** The watched task failed or was cancelled. */
  taskFailed: 5,
  unavailable: 6,
  /** The task waits for a person. */
  inputRequired: 7,
  /** `apply --dry-run` has found something to do. */
  different: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error whose message and hint are for the user. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  /** For programs; in the error object of `--json`. */
  readonly code: string;
  /** What the user can do next. */
  readonly hint: string;

  constructor(exitCode: ExitCode, code: string, message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
    this.code = code;
    this.hint = hint;
  }
}

/** Without a hint, the help of the command is one. */
export function usageError(message: string, hint = ''): CliError {
  return new CliError(EXIT.usage, 'usage', message, hint);
}

/** The user said no, or nobody could be asked. */
export function stoppedError(message = 'Cancelled', hint = 'Nothing was changed.'): CliError {
  return new CliError(EXIT.stopped, 'cancelled', message, hint);
}

/** What the program prints of an error, and its exit code. */
export interface Failure {
  exitCode: ExitCode;
  code: string;
  message: string;
  hint: string;
  status?: number;
  requestId?: string;
  fields?: readonly object[];
}

/** `url` is that of the fleet. */
export function toFailure(error: unknown, url: string): Failure {
  if (error instanceof CliError) {
    const { exitCode, code, message, hint } = error;
    return { exitCode, code, message, hint };
  }
  if (error instanceof FleetError) {
    const { message, code, requestId, fields } = error;
    const status = error.status || undefined;
    return { ...explain(error, url), message, code, status, requestId, ...(fields.length > 0 && { fields }) };
  }
  if (isKnown(error)) {
    const { message, hint, kind } = error;
    const exitCode = kind === 'usage' ? EXIT.usage : EXIT.failed;
    return { exitCode, code: kind, message, hint: hint ?? '' };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: EXIT.failed, code: 'failed', message, hint: 'Try again with --debug' };
}

function explain(error: FleetError, url: string): { exitCode: ExitCode; hint: string } {
  if (error instanceof FleetUnavailableError) {
    return {
      exitCode: EXIT.unavailable,
      hint: `Is the fleet at ${url} running? Name another by --url, FLEET_URL or fleet login.`,
    };
  }
  const { status, code } = error;
  const guide = `${url.replace(/\/$/, '')}/guide/users-and-keys`;
  if (code === 'wait_timeout')
    return { exitCode: EXIT.stopped, hint: 'The task continues; follow it with fleet tasks watch.' };
  if (status === 401 || code === 'invalid_grant') {
    return { exitCode: EXIT.credentials, hint: `Sign in with fleet login, or set FLEET_API_KEY. See ${guide}.` };
  }
  if (status === 403) {
    // The body of a missing scope has a code, that of a wrong key has none.
    const isScope = typeof error.body === 'object' && error.body !== null && 'error' in error.body;
    const hint = isScope
      ? 'fleet whoami shows what these credentials may do; an administrator can change that.'
      : `The API key is wrong or has ended: set FLEET_API_KEY to another, or sign in with fleet login. See ${guide}.`;
    return { exitCode: EXIT.credentials, hint };
  }
  if (REFUSED_VALUES.has(status)) {
    return { exitCode: EXIT.usage, hint: HINTS[code] ?? 'Correct the value and try again.' };
  }
  return { exitCode: EXIT.failed, hint: HINTS[code] ?? HINTS[status] ?? UNKNOWN };
}

/** What was sent is wrong, too large, or of another type than the fleet takes. */
const REFUSED_VALUES = new Set([400, 413, 414, 415, 422, 431]);

const UNKNOWN = 'Try again; if it fails again, give the request id to an operator of the fleet.';

const HINTS: Record<string | number, string> = {
  404: 'The list of the same command shows what there is, such as fleet agents list.',
  409: 'Its current state does not allow this; show it first.',
  412: 'It has changed since it was read; read it again and retry.',
  429: 'Wait a moment and try again.',
  task_ended: 'fleet tasks add <message> --continue <task> goes on with its session.',
  messages_not_supported: 'Wait for its end, or cancel it with fleet tasks cancel.',
  task_not_ended: 'Wait for its end with fleet tasks watch, or cancel it with fleet tasks cancel.',
  task_not_cancellable: 'It has ended: fleet tasks show tells how.',
  email_taken: 'fleet users list shows the users.',
  last_admin: 'Give another user the role admin first.',
  managed_by_environment: 'It is a key of API_KEYS, in the configuration of the fleet: change it there.',
  idempotent_request_in_progress: 'The same request is under way: wait a moment and try again.',
};

/** A `SkillError`: its class is loaded with the commands on skills only. */
function isKnown(error: unknown): error is Error & { hint?: string; kind: 'usage' | 'failed' } {
  return error instanceof Error && error.name === 'SkillError' && 'kind' in error;
}
