import { writeFileSync } from 'node:fs';
import { PYTHON_MODELS, toPythonModels } from './python-models.ts';
import { readServedDocument } from './served-document.ts';

/** Run by `npm run generate-python -w e2e`. */
writeFileSync(PYTHON_MODELS, await toPythonModels(await readServedDocument()));
