import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { readFileIfExists } from '../local/read-file-if-exists.ts';

const HEADER = `# Credentials of this Agent Fleet, made at its first start. What the environment gives goes before them.
`;

/** Values for names that neither the environment nor the file has. `example.com` is reserved (RFC 2606). */
const MAKE = {
  ADMIN_EMAIL: () => 'admin@example.com',
  ADMIN_PASSWORD: () => random(15),
  API_KEYS: () => `local:fleet_${random(24)}`,
  JWT_SECRET: () => random(48),
  INTERNAL_TOKEN: () => random(32),
  SESSION_ENCRYPTION_KEY: () => random(32),
};

type Name = keyof typeof MAKE;
const NAMES = Object.keys(MAKE) as Name[];

export interface Credentials {
  file: string;
  /** For the services. */
  values: Record<Name, string>;
  /** Whether this call created the file: the credentials have not been shown yet. */
  isNew: boolean;
  /** The names that the environment has. */
  given: ReadonlySet<Name>;
  /** Adds values of the environment to the file, for later starts without them. */
  keepGiven(): void;
  /** Tells `fleet`, which reads the file, where the fleet is. */
  keepUrl(url: string): void;
}

/**
 * Reads the credentials file. Values that neither it nor the environment has are created and written before they are
 * used. `keepGiven` adds those of the environment, once a start with them has succeeded.
 */
export function loadCredentials(file: string, env: NodeJS.ProcessEnv): Credentials {
  const text = readFileIfExists(file);
  const kept: NodeJS.Dict<string> = text === undefined ? {} : parseEnv(text);
  const missing = NAMES.filter((name) => !kept[name]);
  const made = Object.fromEntries(missing.filter((name) => !env[name]).map((name) => [name, MAKE[name]()]));
  add(file, text ?? HEADER, made);
  const values = Object.fromEntries(NAMES.map((name) => [name, env[name] || kept[name] || made[name]]));
  return {
    file,
    values: values as Record<Name, string>,
    isNew: text === undefined,
    given: new Set(NAMES.filter((name) => env[name])),
    keepGiven() {
      const given = Object.fromEntries(missing.filter((name) => env[name]).map((name) => [name, env[name]]));
      add(file, readFileIfExists(file) ?? HEADER, given);
    },
    keepUrl(url) {
      const present = readFileIfExists(file) ?? HEADER;
      if (parseEnv(present).FLEET_URL === url) return;
      add(file, present.replace(/^FLEET_URL=.*\n?/gm, ''), { FLEET_URL: url });
    },
  };
}

function add(file: string, text: string, values: NodeJS.Dict<string>): void {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${quote(value)}\n`);
  // Some editors do not end the last line.
  const ended = /(^|\n)$/.test(text) ? text : `${text}\n`;
  write(file, ended + lines.join(''));
}

function random(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** `parseEnv` leaves text between quotes unchanged. */
function quote(value = ''): string {
  if (/^[\w@.,:+/=-]*$/.test(value)) return value;
  const mark = ["'", '"', '`'].find((candidate) => !value.includes(candidate));
  if (mark === undefined)
    throw new Error('A credential holds all three kinds of quotes: put it into the environment at each start');
  return `${mark}${value}${mark}`;
}

/** Writes atomically, and only for the owner. Two processes may write at once: the demonstration does. */
function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}
