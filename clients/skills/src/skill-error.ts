/** Why a command on skills failed, and what the user can do next. */
export class SkillError extends Error {
  override readonly name: string = 'SkillError';
  /** What the user can do next. */
  readonly hint: string | undefined;
  /** `usage`: the command line is wrong. `failed`: what it asked for cannot be done. */
  readonly kind: 'usage' | 'failed';

  constructor(message: string, hint?: string, kind: 'usage' | 'failed' = 'failed', cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
    this.kind = kind;
  }
}

export function usageError(message: string, hint?: string): SkillError {
  return new SkillError(message, hint, 'usage');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an error of the file system or a child process has this code. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}
