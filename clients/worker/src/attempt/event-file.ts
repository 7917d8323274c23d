import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Redactor } from './redaction.ts';

const MAX_BYTES = 64 * 1024 * 1024;
const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const NOTE = '\n{"note":"the rest was left out: the file has reached 64 MiB"}\n';

export type EventFile = Awaited<ReturnType<typeof openEventFile>>;

/** Opens the record of what a program wrote, redacted, for appending; after 64 MiB nothing more is written. */
export async function openEventFile(path: string, redactor: Redactor) {
  // An agent may have put a link or a pipe in its place before a continued session.
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const decoder = new StringDecoder('utf8');
  const redaction = redactor.stream();
  let { size } = await file.stat();
  const write = async (text: string) => {
    if (text === '' || size > MAX_BYTES) return;
    size += Buffer.byteLength(text);
    // A full disk must not fail the task.
    await file.write(size > MAX_BYTES ? NOTE : text).catch(() => {});
  };
  return {
    add: (chunk: Buffer) => write(redaction.add(decoder.write(chunk))),
    async close(): Promise<void> {
      await write(redaction.add(decoder.end()) + redaction.end());
      await file.close();
    },
  };
}
