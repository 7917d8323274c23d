// Loaded into jest and its workers first. During a test, jest itself catches unhandled rejections. Those before and
// after a test would end the worker, without a report if it has no work left.
import { appendFileSync } from 'node:fs';
import { inspect } from 'node:util';

const { REJECTIONS_FILE } = process.env;

process.on('unhandledRejection', (reason) => {
  if (REJECTIONS_FILE) appendFileSync(REJECTIONS_FILE, `${JSON.stringify(inspect(reason))}\n`);
});
