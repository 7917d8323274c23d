/** A problem that the user can solve: only the message is shown. */
export class LaunchError extends Error {
  override name = 'LaunchError';
}
