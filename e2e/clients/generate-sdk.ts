import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SDK_TYPES, toSdkTypes } from './sdk-types.ts';
import { readServedDocument } from './served-document.ts';

/** Run by `npm run generate -w clients/sdk`. */
mkdirSync(dirname(SDK_TYPES), { recursive: true });
writeFileSync(SDK_TYPES, await toSdkTypes(await readServedDocument()));
