import { decodeText } from '@agent-fleet/sdk/text';
import { usageError } from './errors.ts';

/** What `read` returns as text. @throws CliError for what cannot be read, or is not UTF-8 */
export function toText(what: string, read: () => Uint8Array): string {
  try {
    return decodeText(read());
  } catch (error) {
    const isText = error instanceof TypeError;
    throw usageError(
      isText ? `${what} is ${error.message}` : `${what}: ${(error as Error).message}`,
      isText ? 'Save it as UTF-8.' : 'Name a file that can be read.',
    );
  }
}
