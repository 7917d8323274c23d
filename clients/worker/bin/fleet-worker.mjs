#!/usr/bin/env node
import { launch } from './launch.mjs';

await launch('fleet-worker', new URL('../src/cli/main.ts', import.meta.url));
