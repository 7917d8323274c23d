import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '@agent-fleet/scripts/services';
import { expect, test } from '@jest/globals';
import { PLANTS, plantInto } from './plants.ts';

test('there are ten faults to find', () => expect(Object.keys(PLANTS)).toHaveLength(10));

for (const [name, plant] of Object.entries(PLANTS)) {
  test(`the sources have what the planted fault "${name}" replaces`, () => {
    for (const file of new Set(plant.edits.map((edit) => edit.file))) {
      const path = join(ROOT, file);
      const source = readFileSync(path, 'utf8');
      expect(plantInto(plant, path, source)).not.toBe(source);
    }
  });
}
