// The public API of the package.
export { type FieldError, FleetError, FleetUnavailableError } from './errors.ts';
export type { Delta, StreamEvent, StreamOptions } from './events.ts';
export { createFleet, type Fleet } from './fleet.ts';
export { type components, type operations, type paths, ROLES, SCOPES } from './generated/api.ts';
export type { FleetOptions, JsonFormat, SentRequest } from './options.ts';
export type {
  Agent,
  CallOptions,
  DataOf,
  Event,
  Init,
  ItemOf,
  Lease,
  ListPath,
  LogEntry,
  PathsWith,
  Task,
} from './requests.ts';
export type { WaitOptions } from './wait-for-task.ts';
