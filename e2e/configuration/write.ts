import { readFileSync, writeFileSync } from 'node:fs';
import { PAGE, withTables } from './configuration-page.ts';

/** Run by `npm run write-configuration -w e2e`. */
writeFileSync(PAGE, withTables(readFileSync(PAGE, 'utf8')));
