import { closeSync, openSync, readSync } from 'node:fs';

/** A command, or the commands of one script or transaction, which Redis loads as a whole. */
export type Unit = string[][];

/** Reads what Redis appended between two positions at which no command was being written. */
export function readUnits(file: string, from: number, to: number): Unit[] {
  const units: Unit[] = [];
  let open: Unit | undefined;
  for (const command of parseCommands(readBytes(file, from, to))) {
    const name = command[0]?.toUpperCase();
    if (name === 'MULTI') open = [];
    else if (name === 'EXEC') {
      units.push(open ?? []);
      open = undefined;
    } else if (open) open.push(command);
    else if (name !== 'SELECT') units.push([command]);
  }
  return units;
}

function readBytes(file: string, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, bytes, 0, bytes.length, from);
  closeSync(descriptor);
  return bytes;
}

/** Commands as arrays of bulk strings: `*2\r\n$3\r\nDEL\r\n$1\r\na\r\n`. */
function parseCommands(bytes: Buffer): string[][] {
  const commands: string[][] = [];
  let at = 0;
  const readNumber = () => {
    const end = bytes.indexOf('\r\n', at);
    const number = Number(bytes.toString('latin1', at + 1, end));
    at = end + 2;
    return number;
  };
  while (at < bytes.length) {
    const command: string[] = [];
    for (let left = readNumber(); left > 0; left--) {
      const length = readNumber();
      command.push(bytes.toString('utf8', at, at + length));
      at += length + 2;
    }
    commands.push(command);
  }
  return commands;
}
