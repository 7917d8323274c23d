import { expect, test } from '@jest/globals';
import type { Request, Response } from 'express';
import { atStage } from './rejections.ts';

/** The stage after `stages` have handled a request one after the other. */
function stageAfter(stages: readonly ('upstream' | 'rate_limit')[], before?: 'parser'): unknown {
  const res = { locals: { stage: before } } as unknown as Response;
  for (const stage of stages) atStage(stage, () => undefined)({} as Request, res, () => undefined);
  return res.locals.stage;
}

test('the last stage of a request is the one that rejects it, unless the parser has refused the rest of it', () => {
  expect(stageAfter(['rate_limit', 'upstream'])).toBe('upstream');
  expect(stageAfter(['rate_limit', 'upstream'], 'parser')).toBe('parser');
});
