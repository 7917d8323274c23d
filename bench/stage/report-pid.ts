// Loaded by `--import` into each measured process, which writes its process id into a file; its worker threads, which
// load it too, do not: they would write while the file is read.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.PID_FILE;
if (file && isMainThread) writeFileSync(file, String(process.pid));
