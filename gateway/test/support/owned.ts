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

/** Closes resources in reverse order: those of a test after it, those of a whole file after the last test. */
export function own(close: Close): void {
  (isInTest ? ofTest : ofFile).push(close);
}

async function closeAll(owned: Close[]): Promise<void> {
  for (const close of owned.splice(0).reverse()) await close();
}
