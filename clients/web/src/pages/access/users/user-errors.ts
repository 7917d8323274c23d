import { FleetError } from '@agent-fleet/sdk';

const WORDS: Record<string, string> = {
  last_admin: 'This is the last admin who can sign in. Make another user an admin first.',
  email_taken: 'Another user has this e-mail address.',
};

/** The same error, in words that say what to do, where the code has some. */
export function inWords(error: unknown): unknown {
  const words = error instanceof FleetError ? WORDS[error.code] : undefined;
  return words === undefined ? error : new Error(words, { cause: error });
}
