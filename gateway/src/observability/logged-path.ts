/** Below it, paths have a code that sets a password. */
const SECRET_PATHS = /^(\/+password-resets\/).+/i;

/** The path of a target as logs and traces show it: without the query, and without a secret. */
export function toLoggedPath(target: string): string {
  return (target.split('?', 1)[0] as string).replace(SECRET_PATHS, '$1*');
}
