import type { Logger } from '@agent-fleet/shared/logger';
import type { ChangeFollower } from '../auth/credentials/change-follower.ts';
import type { Replicas } from './replicas/replicas.ts';
import type { RetryBudget } from './retry-budget.ts';

/** The service that exchanges go to. */
export interface Upstream {
  /** Its name in error messages. */
  name: string;
  /** Those of credentials. */
  changes: Pick<ChangeFollower, 'position'>;
  /** `host[:port]` */
  host: string;
  internalToken: string | undefined;
  replicas: Replicas;
  retries: RetryBudget;
  /** How long it may take to start a response, and between parts of it. */
  timeoutMs: number;
  /** The same for requests that wait. */
  waitTimeoutMs: number;
  /** Maximum body of a request of unknown length. */
  maxBodyBytes: number;
  /** How long a client may read nothing of a response. */
  stalledMs: number;
  /** New event streams end at once. */
  endsStreams: boolean;
  logger: Logger;
}
