/** Something the person at the terminal can mend: the message is all they are told. */
export class LaunchError extends Error {
  override name = 'LaunchError';
}
