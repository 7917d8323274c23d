import { afterAll, afterEach, beforeEach } from '@jest/globals';

type Close = () => unknown;

const ofTest: Close[] = [];
const ofFile: Close[] = [];
let isInTest = false;

beforeEach(() => {
  isInTest = true;
});
afterEach(async () => {
  isInTest = false;
  await closeAll(ofTest);
});
afterAll(() => closeAll(ofFile));

/** Closes what a test has started after it, and what was started before all tests after the last; the latest first. */
export function own(close: Close): void {
  (isInTest ? ofTest : ofFile).push(close);
}

async function closeAll(owned: Close[]): Promise<void> {
  for (const close of owned.splice(0).reverse()) await close();
}
