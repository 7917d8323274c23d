import { writeFileSync } from 'node:fs';
import { generatePython, PYTHON_FILES } from './python-files.ts';
import { readServedDocument } from './served-document.ts';

/** Run by `npm run generate-python -w e2e`. */
const document = await readServedDocument();
for (const { file, generator } of PYTHON_FILES) writeFileSync(file, await generatePython(generator, document));
