import { dateTimeSchema } from '@agent-fleet/shared/contract/fields';
import { queryText } from '@agent-fleet/shared/contract/paging';
import { z } from 'zod';
import { TASK_ID_EXAMPLE } from '../contract/parameters.ts';
import { TASK_STATUSES } from './task.ts';

/** What tasks must match: all that is given. It can be stored as JSON. */
export interface TaskFilter {
  id?: string;
  /** Some of the known statuses; none: no task matches. */
  status?: string[];
  type?: string;
  agent_id?: string;
  tag?: string;
  worker_id?: string;
  /** Times in UTC with ms. Tasks of that very time do not match. */
  created_after?: string;
  created_before?: string;
}

/** `status`: unknown ones match nothing. */
export const statusParameter = z
  .string('must be given once')
  .transform((text) => (text === '' ? undefined : toStatuses(text.split(','))))
  .optional()
  .meta({
    type: 'string',
    description: 'Only tasks with one of these statuses, separated by commas. Any text is valid.',
    example: 'pending,running',
  });

/** The query parameters of a search. An empty one is no filter. */
export const taskFilterParameters = {
  status: statusParameter,
  type: queryText('Only tasks whose agent had this type at their creation.'),
  agent_id: queryText('Only tasks of this agent.'),
  tag: queryText('Only tasks with this tag.'),
  worker_id: queryText('Only tasks whose current or last worker is this one.'),
  id: queryText('Only the task with this id.').meta({ example: TASK_ID_EXAMPLE }),
  created_after: timeParameter('Only tasks created after this time.', false),
  created_before: timeParameter('Only tasks created before this time.', true),
};

/** The known ones among some statuses, each once. */
function toStatuses(given: readonly string[]): string[] {
  return TASK_STATUSES.filter((status) => given.includes(status));
}

/** An RFC 3339 time of a filter. Of its ms only whole ones count; `roundsUp`: the next one, if there is a rest. */
export function filterTimeSchema(roundsUp: boolean) {
  return dateTimeSchema.transform((text) => {
    const hasRest = /[1-9]/.test(FRACTION.exec(text)?.[2] ?? '');
    const ms = Date.parse(text.replace(FRACTION, '.$1')) + (roundsUp && hasRest ? 1 : 0);
    return new Date(Math.min(ms, LAST_MS)).toISOString();
  });
}

const FRACTION = /\.(\d{1,3})(\d*)/;

/** Texts of later times do not sort as the times do. */
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

export function timeParameter(description: string, roundsUp: boolean) {
  return z
    .string('must be given once')
    .transform((text) => (text === '' ? undefined : text))
    .pipe(filterTimeSchema(roundsUp).optional())
    .optional()
    .meta({ type: 'string', format: 'date-time', description });
}
