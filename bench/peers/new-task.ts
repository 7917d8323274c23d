/** The body of `POST /tasks`, as far as the peers know it. */
export interface NewTask {
  message: string;
}

/** The body of `PUT /leases/{id}/result`. */
export interface Report {
  token: string;
  status: 'completed';
  result: object;
}

export const PRIORITY = 5;

/** How long the agents service keeps ended tasks, and how many of them. */
export const KEPT = { count: 10_000, age: 604_800 };

/** JSON schema of {@link NewTask}. */
export const NEW_TASK_SCHEMA = {
  type: 'object',
  required: ['message'],
  additionalProperties: false,
  properties: { message: { type: 'string', minLength: 1, maxLength: 10_000 } },
} as const;
