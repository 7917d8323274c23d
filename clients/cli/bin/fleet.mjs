#!/usr/bin/env node
import * as nodeModule from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { launch } from '../../worker/bin/launch.mjs';

// Not the default folder: what is in /tmp, others may have written.
nodeModule.enableCompileCache?.(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fleet'));
await launch('fleet', new URL('../src/main.ts', import.meta.url));
