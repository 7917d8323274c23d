import { describe, expect, test } from '@jest/globals';
import { type SourceStatus, sortSources, stateOf } from '../src/pages/registry/registry-status.ts';

const FAULT = { code: 'timeout', message: 'It did not respond', at: '2026-11-25T09:00:00.000Z' } as const;

function source(name: string, changes: Partial<SourceStatus> = {}): SourceStatus {
  return {
    source: name,
    snapshot_id: 'a',
    fetched_at: null,
    checked_at: null,
    next_check_at: null,
    last_error: null,
    refused: null,
    records: 0,
    rejected: 0,
    missing: 0,
    ...changes,
  };
}

describe('sources', () => {
  const refused = { ...FAULT, code: 'shrunk', snapshot_id: 'b' } as const;

  test('are refused rather than failing if their files were read', () => {
    expect(stateOf(source('1', { refused, last_error: FAULT }))).toBe('refused');
    expect(stateOf(source('1', { last_error: FAULT }))).toBe('failing');
    expect(stateOf(source('1', { snapshot_id: null }))).toBe('unread');
    expect(stateOf(source('1'))).toBe('current');
  });

  test('that need attention come first, others as they are configured', () => {
    const sources = [
      source('b'),
      source('a'),
      source('new', { snapshot_id: null }),
      source('shrunk', { refused }),
      source('away', { last_error: FAULT }),
    ];
    expect(sortSources(sources).map(({ source: name }) => name)).toEqual(['away', 'shrunk', 'new', 'b', 'a']);
  });
});
