type Close = () => unknown;

const ofTest: Close[] = [];
const ofFile: Close[] = [];
let isInTest = false;

/** Closes a resource of a test after it, one of a whole file after its last test; the last one first. */
export function own(close: Close): void {
  (isInTest ? ofTest : ofFile).push(close);
}

/** @public What the runner calls around each test and after each file. */
export const owned = {
  startTest(): void {
    isInTest = true;
  },
  async endTest(): Promise<void> {
    isInTest = false;
    await closeAll(ofTest);
  },
  endFile: () => closeAll(ofFile),
};

/** Closes all, even if one fails. */
async function closeAll(resources: Close[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of resources.splice(0).reverse()) {
    await Promise.resolve()
      .then(close)
      .catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}
