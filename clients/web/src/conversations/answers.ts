import { optionLabel } from '@agent-fleet/sdk/words';
import type { InputRequest } from '../frame/open-requests.ts';
import { capital } from '../text/pieces.ts';
import { safeLine } from '../text/safe-text.ts';

export type Option = InputRequest['options'][number];

const ANSWER_KEYS: Partial<Record<Option['role'], string>> = { allow: 'a', deny: 'd' };

/** The first option of its role has the key. */
export function keyOf(option: Option, options: readonly Option[]): string | undefined {
  return options.find(({ role }) => role === option.role) === option ? ANSWER_KEYS[option.role] : undefined;
}

/** What became of a request, in words such as "Allow, by ada". */
export function answerWords({ state, answer, options }: InputRequest): string {
  if (!answer) return state === 'withdrawn' ? 'Withdrawn: no answer is needed any more' : capital(state);
  const by = answer.by ? `by ${answer.by.name}` : 'as nobody answered in time';
  return safeLine(`${labelsOf(options, answer.option_ids) || capital(state)}, ${by}`);
}

/** What counts when nobody answers in time, such as "Deny". */
export function defaultWords({ options, default: given }: Pick<InputRequest, 'options' | 'default'>): string {
  return safeLine(labelsOf(options, given?.option_ids) || (given?.text ?? 'a default answer'));
}

function labelsOf(options: readonly Option[], ids: readonly string[] | null | undefined): string {
  const chosen = options.filter(({ id }) => ids?.includes(id));
  return chosen.map(optionLabel).join(', ');
}
