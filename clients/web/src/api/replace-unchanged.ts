import { FleetError } from '@agent-fleet/sdk';

const MAX_TRIES = 5;

/** What is to be replaced is no longer what the change began with. */
export class ChangedByOthersError<T> extends Error {
  readonly current: T;

  constructor(what: string, current: T) {
    super(`Not saved: the ${what} has changed since you opened it.`);
    this.current = current;
  }
}

interface Replacement<T> {
  /** Such as "agent". */
  what: string;
  read: () => Promise<{ data: T; response: Response }>;
  /** Whether nobody else has changed what is to be replaced. */
  isUnchanged: (current: T) => boolean;
  replace: (header: { 'If-Match': string }) => Promise<unknown>;
}

/**
 * Replaces a record unless others have changed the same of it. Its ETag changes for other reasons, too: then it is
 * read and tried again.
 * @throws FleetError, ChangedByOthersError
 */
export async function replaceUnchanged<T>({ what, read, isUnchanged, replace }: Replacement<T>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { data, response } = await read();
    if (!isUnchanged(data)) throw new ChangedByOthersError(what, data);
    try {
      await replace({ 'If-Match': response.headers.get('etag') ?? '*' });
      return;
    } catch (error) {
      const isStale = error instanceof FleetError && error.status === 412;
      if (!isStale || tries === MAX_TRIES) throw error;
    }
  }
}
