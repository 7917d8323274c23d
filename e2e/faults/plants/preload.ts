// Loaded into each service by `node --import`: puts the fault that `E2E_FAULTS_PLANT` names into the sources as they
// are read, and ends the process when they have changed so that it cannot.
import fs from 'node:fs';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import { fileURLToPath } from 'node:url';
import { plantInto, plantNamed } from './plants.ts';

const plant = plantNamed(process.env.E2E_FAULTS_PLANT ?? '');
if (!plant) throw new Error('E2E_FAULTS_PLANT names no fault');

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith('file:') || loaded.source === undefined) return loaded;
    const path = fileURLToPath(url);
    return { ...loaded, source: plantInto(plant, path, loaded.source?.toString() ?? '') };
  },
});

const { readFileSync } = fs;
Object.assign(fs, {
  /** Scripts are read as text. */
  readFileSync(...args: Parameters<typeof readFileSync>) {
    const read = readFileSync(...args);
    const [path] = args;
    if (typeof read !== 'string' || !String(path).endsWith('.lua')) return read;
    return plantInto(plant, path instanceof URL ? fileURLToPath(path) : String(path), read);
  },
});
syncBuiltinESMExports();
