import type { Task } from '@agent-fleet/sdk';

type AgentFields =
  | 'traceparent'
  | 'skills'
  | 'workspace'
  | 'model'
  | 'output_schema'
  | 'max_cost'
  | 'continue_of'
  | 'usage'
  | 'cost';

/** A task as agents get it; an earlier fleet leaves out the fields that only they use. */
export type AgentTask = Omit<Task, AgentFields> & Partial<Pick<Task, AgentFields>>;
