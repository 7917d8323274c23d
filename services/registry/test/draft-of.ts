import { type Draft, normaliseRecord } from '../src/skills/normalise.ts';
import { Report } from '../src/skills/report.ts';

/** What a record of a registry file becomes. */
export function draftOf(value: unknown, report = new Report()): Draft {
  const draft = normaliseRecord({ index: 0, value }, report);
  if (draft === undefined) throw new Error('The record is rejected');
  return draft;
}
