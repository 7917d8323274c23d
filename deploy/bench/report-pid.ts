// Loaded by `--import` into each measured process, which writes its process id into a file.
import { writeFileSync } from 'node:fs';

const file = process.env.PID_FILE;
if (file) writeFileSync(file, String(process.pid));
