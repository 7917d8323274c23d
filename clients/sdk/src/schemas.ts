import type { components } from './generated/api.ts';

type Schemas = components['schemas'];

export type Agent = Schemas['Agent'];
export type Event = Schemas['Event'];
export type LogEntry = Schemas['LogEntry'];
export type Lease = Schemas['Lease'];
export type Task = Schemas['Task'];
