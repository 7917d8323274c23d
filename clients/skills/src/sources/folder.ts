import { closeSync, constants, existsSync, fstatSync, fsyncSync, mkdirSync, openSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../skill-error.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
const DESCRIPTORS = '/proc/self/fd';
const HAS_DESCRIPTORS = existsSync(DESCRIPTORS);

/**
 * An open folder. Paths of `at` go through its descriptor where the system has `/proc`, so that nobody can put a link
 * in their way between a check and a write (what `openat` is for; Node has none).
 */
export class Folder {
  readonly #descriptor: number;
  /** As it was when the folder was opened. */
  readonly path: string;

  private constructor(descriptor: number, path: string) {
    this.#descriptor = descriptor;
    this.path = path;
  }

  static openRoot(path: string): Folder {
    const real = realpathSync(path);
    return new Folder(openSync(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), real);
  }

  /** The path of an entry, for functions of `node:fs`. */
  at(name: string): string {
    return `${HAS_DESCRIPTORS ? `${DESCRIPTORS}/${this.#descriptor}` : this.path}/${name}`;
  }

  /** @throws ELOOP or ENOTDIR if the entry is a link or no folder */
  open(name: string): Folder {
    return new Folder(openSync(this.at(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW), join(this.path, name));
  }

  openOrCreate(name: string): Folder {
    try {
      mkdirSync(this.at(name));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    return this.open(name);
  }

  /** Whether both are the same folder. */
  equals(other: Folder): boolean {
    const [a, b] = [fstatSync(this.#descriptor), fstatSync(other.#descriptor)];
    return a.dev === b.dev && a.ino === b.ino;
  }

  /** Makes names that were created, renamed or removed survive a power failure. */
  sync(): void {
    fsyncSync(this.#descriptor);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
