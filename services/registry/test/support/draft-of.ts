import { type Draft, normaliseRecord } from '../../src/normalise/normalise.ts';
import { Report } from '../../src/skills/report.ts';

/** Returns the draft of a skill for a record of a registry file. */
export function draftOf(value: unknown, report = new Report()): Draft {
  const draft = normaliseRecord({ index: 0, value }, report);
  if (draft === undefined) throw new Error('The record is rejected');
  return draft;
}
