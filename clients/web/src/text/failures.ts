import { safeLine } from './safe-text.ts';

/** What codes of the fleet and its worker mean, and what helps. Programs may report others. */
const MEANINGS: Partial<Record<string, readonly [meaning: string, remedy?: string]>> = {
  auth_failed: ['The model provider does not accept the credentials', 'Set up valid ones at the worker.'],
  budget_exceeded: ['The most that it may cost is used up', 'Retry it with a higher limit, or continue below.'],
  expired: ['No worker started it in time', 'Start more workers, or retry it with a later expiry.'],
  input_expired: ['Nobody answered in time', 'Retry it, or continue below with the answer.'],
  input_required: ['The agent asked a question', 'Continue below with the answer.'],
  lease_expired: ['The worker was lost'],
  max_turns: ['The agent has used up its turns', 'Continue below.'],
  no_result: ['The agent ended without a result'],
  output_invalid: ['The output does not conform to its schema'],
  rate_limited: ['The model provider takes no more calls for now', 'Retry it later, or with another model.'],
  refused: ['The model refused'],
  runtime_missing: ['The worker cannot start the program of the agent', 'Install it at the worker.'],
  session_lost: ['The session is not at the worker any more', 'Retry it: it begins anew.'],
  skill_unverified: ['A skill is not the one that was asked for'],
  stalled: ['The agent gave no sign of life'],
  timeout: ['It took too long', 'Retry it with a longer timeout.'],
  workspace_failed: ['The repository could not be prepared'],
};

/** What a failure means; of one that is not known, its code. */
export function failureMeaning(code: string): string {
  return MEANINGS[code]?.[0] ?? safeLine(code);
}

/** What helps, if anything is known to. */
export function failureRemedy(code: string): string | undefined {
  return MEANINGS[code]?.[1];
}
