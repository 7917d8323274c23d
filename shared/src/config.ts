import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { parseRedisUrl } from './redis/redis-url.ts';

/** Has one line for each invalid variable, without its value, which may be a secret. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads the variables of `schema` from `env`; an empty variable counts as unset. A field with `.meta({ secret: true })`
 * may be given as a file instead, whose path is in `NAME_FILE`. The error for an invalid value shows
 * `.meta({ example })` of the field, or its default. Its `.describe(…)` is in docs/configuration.md.
 * @throws ConfigError with a line for every invalid variable
 */
export function readConfig<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, env: NodeJS.ProcessEnv) {
  const inFiles = Object.keys(schema.shape).filter((name) => metaOf(schema, name).secret && env[fileVariable(name)]);
  const { contents, problems } = readFiles(inFiles, env);
  const given = Object.entries({ ...env, ...contents }).filter(([name, value]) => name in schema.shape && value !== '');
  const result = schema.safeParse(Object.fromEntries(given), {
    error: (issue) => (issue.input === undefined ? 'is required' : undefined),
  });
  if (result.success && problems.size === 0) return result.data;
  const issues = (result.error?.issues ?? []).filter(({ path: [name] }) => !problems.has(String(name)));
  throw new ConfigError([...problems.values(), ...issues.map((issue) => toLine(schema, issue, inFiles))].join('\n'));
}

function metaOf(schema: z.ZodObject, name: string): z.core.GlobalMeta {
  const field = schema.shape[name];
  const example = field instanceof z.ZodDefault ? field.def.defaultValue : undefined;
  return { example, ...(field instanceof z.ZodType && field.meta()) };
}

function fileVariable(name: string): string {
  return `${name}_FILE`;
}

/** Reads files of secrets, without the line break at their end; `problems` are lines by the name of the variable. */
function readFiles(names: readonly string[], env: NodeJS.ProcessEnv) {
  const contents: Record<string, string> = {};
  const problems = new Map<string, string>();
  for (const name of names) {
    const variable = fileVariable(name);
    try {
      if (env[name]) problems.set(name, `${name}, ${variable}: at most one of them may be given`);
      else contents[name] = readFileSync(env[variable] ?? '', 'utf8').replace(/^\ufeff|\r?\n$/g, '');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      problems.set(
        name,
        `${variable}: names a file that cannot be read (${code})${exampleOf(variable, filePath(name))}`,
      );
    }
  }
  return { contents, problems };
}

function filePath(name: string): string {
  return `/run/secrets/${name.toLowerCase()}`;
}

function exampleOf(variable: string, example: unknown): string {
  return example === undefined ? '' : ` (example: ${variable}=${String(example)})`;
}

function toLine(schema: z.ZodObject, issue: z.core.$ZodIssue, inFiles: readonly string[]): string {
  const name = String(issue.path[0] ?? 'configuration');
  if (inFiles.includes(name)) {
    return `${fileVariable(name)}: ${issue.message}${exampleOf(fileVariable(name), filePath(name))}`;
  }
  return `${name}: ${issue.message}${exampleOf(name, metaOf(schema, name).example)}`;
}

/** A string that `parse` converts; the message of its error describes the problem of the variable. */
export function parsed<Value>(parse: (text: string) => Value) {
  return z.string().transform((text, context): Value => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue((error as Error).message);
      return z.NEVER;
    }
  });
}

/** A decimal integer from `min` to `max`. */
export function integerVariable(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,12}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .meta({ range: `${min} to ${max}` });
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const REDIS_URLS =
  '`redis://…`, `redis+sentinel://[user:password@]host:port,…/master` or `redis+cluster://[user:password@]host:port,…`';

/** The variables that every process reads; `port` is the service's default. */
export function commonVariables(port: number) {
  return {
    PORT: integerVariable(0, 65535).default(port).describe('HTTP port; `npm start` applies it to the gateway only'),
    HOST: z.string().default('0.0.0.0').describe('address to listen on; `npm start` applies it to the gateway only'),
    REDIS_URL: parsed(checkRedisUrl)
      .default('redis://127.0.0.1:6379')
      .meta({ secret: true, description: `${REDIS_URLS}; with \`rediss\` for \`redis\`, connections use TLS` }),
    REDIS_PREFIX: z
      .string()
      .regex(/^[\w-]{1,32}$/, 'must be 1 to 32 letters, digits, _ or -')
      .default('fleet')
      .describe('prefix of every key'),
    REDIS_MIN_REPLICAS: integerVariable(0, 5)
      .default(0)
      .describe('replicas that [have a write](redis.md) at its reply'),
    LOG_LEVEL: z
      .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
      .default('info')
      .describe('least level that is logged'),
    DRAIN_SECONDS: integerVariable(0, 15).default(0).describe('how long to serve after SIGTERM; in containers 3'),
    NODE_ENV: z.string().default('development').describe('`production`: secrets are required, and weak ones refused'),
    INTERNAL_TOKEN: internalTokenVariable('services accept only requests that have it; `npm start` generates one'),
    INTERNAL_VERIFICATION_TOKEN: internalTokenVariable('a second one, to [rotate](rotate-secrets.md) the first'),
  };
}

/** Otherwise, the error of a connection would show the URL and its password. */
function checkRedisUrl(url: string): string {
  parseRedisUrl(url);
  return url;
}

function internalTokenVariable(description: string) {
  return z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'must consist of visible ASCII characters')
    .optional()
    .meta({ example: 'a-long-random-text', secret: true, description });
}

type CommonVariables = z.output<z.ZodObject<ReturnType<typeof commonVariables>>>;

/** Converts the common variables to configuration. */
export function toCommonConfig(read: CommonVariables) {
  return {
    host: read.HOST,
    port: read.PORT,
    /** How long to keep serving after SIGTERM. */
    drainSeconds: read.DRAIN_SECONDS,
    logLevel: read.LOG_LEVEL,
    redis: {
      url: read.REDIS_URL,
      prefix: read.REDIS_PREFIX,
      /** How many replicas have a write before it is acknowledged. */
      minReplicas: read.REDIS_MIN_REPLICAS,
    },
    /** The token that the gateway sends. */
    internalToken: read.INTERNAL_TOKEN,
    /** The tokens that services accept: another one than the gateway's during a rotation; without any, no check. */
    acceptedTokens: [read.INTERNAL_TOKEN, read.INTERNAL_VERIFICATION_TOKEN].filter((token) => token !== undefined),
  };
}

/** Secrets have no default in production. @throws ConfigError with a line for each of `secrets` that is undefined */
export function requireInProduction(config: { NODE_ENV: string }, secrets: Record<string, unknown>): void {
  if (config.NODE_ENV !== 'production') return;
  const missing = Object.keys(secrets).filter((name) => secrets[name] === undefined);
  const lines = missing.map((name) => `${name}: is required in production (example: ${name}=$(openssl rand -hex 32))`);
  if (lines.length > 0) throw new ConfigError(lines.join('\n'));
}

const MIN_INTERNAL_TOKEN = 16;

/** The rules that the internal tokens break in production. */
export function findWeakInternalTokens({ INTERNAL_TOKEN, INTERNAL_VERIFICATION_TOKEN }: CommonVariables) {
  const find = (token: string | undefined) => token && findWeakness(token, MIN_INTERNAL_TOKEN);
  return {
    INTERNAL_TOKEN: find(INTERNAL_TOKEN),
    INTERNAL_VERIFICATION_TOKEN: find(INTERNAL_VERIFICATION_TOKEN),
  };
}

/** Fewer different characters are a pattern, not a secret. */
const MIN_DIFFERENT = 6;

/** The rule that a secret breaks, if any: at least `minLength` characters, and not a few characters repeated. */
export function findWeakness(secret: string, minLength: number): string | undefined {
  if (secret.length < minLength) return `must have at least ${minLength} characters`;
  if (new Set(secret).size < MIN_DIFFERENT) return `must have at least ${MIN_DIFFERENT} different characters`;
  return undefined;
}

/**
 * Refuses weak secrets in production. `problems`: for each variable, the rules that it breaks.
 * @throws ConfigError with a line for each
 */
export function refuseWeakInProduction(
  config: { NODE_ENV: string },
  problems: Record<string, string | readonly string[] | undefined>,
): void {
  if (config.NODE_ENV !== 'production') return;
  const lines = Object.entries(problems).flatMap(([name, found = []]) =>
    [found]
      .flat()
      .map((problem) => `${name}: is too weak for production: ${problem} (example: ${name}=$(openssl rand -hex 32))`),
  );
  if (lines.length > 0) throw new ConfigError(lines.join('\n'));
}
