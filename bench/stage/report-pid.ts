// Loaded by `--import` into each measured process; writes the process id to a file. Worker threads, which load it too,
// do not write: the file could be read at the same time.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.PID_FILE;
if (file && isMainThread) writeFileSync(file, String(process.pid));
