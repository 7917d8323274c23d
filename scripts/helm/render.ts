// Renders the chart with each example, after a change of either: `node scripts/helm/render.ts`. Needs Helm 3 or 4.
import { copyFileSync, writeFileSync } from 'node:fs';
import { COPIES, digestOf, EXAMPLES, findHelm, render, renderedPath } from './chart.ts';

const helm = findHelm();
if (helm === undefined) throw new Error('There is no helm on PATH, and HELM does not name it');
for (const [copy, file] of COPIES) copyFileSync(file, copy);
for (const example of EXAMPLES) {
  writeFileSync(renderedPath(example), `# Sources: ${digestOf(example)}\n${await render(helm, example)}`);
}
