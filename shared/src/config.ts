import { z } from 'zod';

/** Has one line for each invalid variable, without its value, which may be a secret. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads the variables of `schema` from `env`; an empty variable counts as unset. The error for an invalid value shows
 * `.meta({ example })` of the field.
 * @throws ConfigError with a line for every invalid variable
 */
export function readConfig<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>, env: NodeJS.ProcessEnv) {
  const given = Object.fromEntries(
    Object.keys(schema.shape)
      .filter((name) => env[name] !== undefined && env[name] !== '')
      .map((name) => [name, env[name]]),
  );
  const result = schema.safeParse(given, { error: (issue) => (issue.input === undefined ? 'is required' : undefined) });
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map((issue) => toLine(schema, issue)).join('\n'));
}

function toLine(schema: z.ZodObject, issue: z.core.$ZodIssue): string {
  const name = String(issue.path[0] ?? 'configuration');
  const field = schema.shape[name];
  const example = field instanceof z.ZodType ? field.meta()?.example : undefined;
  return `${name}: ${issue.message}${example === undefined ? '' : ` (example: ${name}=${String(example)})`}`;
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
    .refine((value) => value >= min && value <= max, message);
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const REDIS_URL = /^(rediss?|redis\+sentinel|redis\+cluster):\/\/\S+$/;

/** The variables that every process reads (docs/contract.md "Configuration"); `port` is the service's default. */
export function commonVariables(port: number) {
  return {
    PORT: integerVariable(0, 65535).default(port).meta({ example: port }),
    HOST: z.string().default('0.0.0.0').meta({ example: '127.0.0.1' }),
    REDIS_URL: z
      .string()
      .regex(REDIS_URL, 'must be redis://, rediss://, redis+sentinel:// or redis+cluster://')
      .default('redis://127.0.0.1:6379')
      .meta({ example: 'redis://127.0.0.1:6379' }),
    REDIS_PREFIX: z
      .string()
      .regex(/^[\w-]{1,32}$/, 'must be 1 to 32 letters, digits, _ or -')
      .default('fleet')
      .meta({ example: 'fleet' }),
    LOG_LEVEL: z
      .enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`)
      .default('info')
      .meta({ example: 'info' }),
    DRAIN_SECONDS: integerVariable(0, 15).default(0).meta({ example: 3 }),
    NODE_ENV: z.string().default('development').meta({ example: 'production' }),
    INTERNAL_TOKEN: z
      .string()
      .regex(/^[\x21-\x7e]+$/, 'must consist of visible ASCII characters')
      .optional()
      .meta({ example: 'a-long-random-text' }),
  };
}

/** The configuration that all processes have. */
export type CommonConfig = ReturnType<typeof toCommonConfig>;

/** Converts the common variables to configuration. */
export function toCommonConfig(read: z.output<z.ZodObject<ReturnType<typeof commonVariables>>>) {
  return {
    host: read.HOST,
    port: read.PORT,
    /** How long to keep serving after SIGTERM. */
    drainSeconds: read.DRAIN_SECONDS,
    logLevel: read.LOG_LEVEL,
    redis: { url: read.REDIS_URL, prefix: read.REDIS_PREFIX },
    internalToken: read.INTERNAL_TOKEN,
  };
}

/** Secrets have no default in production. @throws ConfigError with a line for each of `secrets` that is undefined */
export function requireInProduction(config: { NODE_ENV: string }, secrets: Record<string, unknown>): void {
  if (config.NODE_ENV !== 'production') return;
  const missing = Object.keys(secrets).filter((name) => secrets[name] === undefined);
  const lines = missing.map((name) => `${name}: is required in production (example: ${name}=$(openssl rand -hex 32))`);
  if (lines.length > 0) throw new ConfigError(lines.join('\n'));
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
