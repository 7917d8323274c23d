// Loaded into jest and its workers before all else. While a test runs, jest itself catches a rejection that nobody
// handles; those that come before and after would end the worker, and pass unnoticed when it has nothing left to do.
import { appendFileSync } from 'node:fs';
import { inspect } from 'node:util';

const { REJECTIONS_FILE } = process.env;

process.on('unhandledRejection', (reason) => {
  if (REJECTIONS_FILE) appendFileSync(REJECTIONS_FILE, `${JSON.stringify(inspect(reason))}\n`);
});
