/** A problem that the person at the terminal can solve: only the message is shown. */
export class LaunchError extends Error {
  override name = 'LaunchError';
}
