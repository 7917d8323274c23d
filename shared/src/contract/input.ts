import type { z } from 'zod';
import { type FieldError, validationError } from '../http/errors.ts';

/** Validates one part of a request. @throws 400 `validation_error` that names each invalid field */
export function parseInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw validationError(result.error.issues.flatMap(toFieldErrors));
}

function toFieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: toPath([...issue.path, key]),
      code: 'unknown_field',
      message: 'is not a known field',
    }));
  }
  const chosen = issue.code === 'invalid_union' ? chooseOption(issue.errors) : undefined;
  if (chosen) return chosen.flatMap((inner) => toFieldErrors({ ...inner, path: [...issue.path, ...inner.path] }));
  const path = toPath(issue.path);
  const isMissing = (issue.code === 'invalid_type' || issue.code === 'invalid_value') && issue.input === undefined;
  if (isMissing) return [{ path, code: 'required', message: 'is required' }];
  if (issue.code === 'invalid_type' && issue.expected === 'object') {
    return [{ path, code: issue.code, message: 'must be an object' }];
  }
  return [{ path, code: issue.code === 'custom' ? 'invalid_value' : issue.code, message: issue.message }];
}

/** What is wrong with a value by the only option of a union that has its type, or by the schema that may be null. */
function chooseOption(options: z.core.$ZodIssue[][]): z.core.$ZodIssue[] | undefined {
  const [chosen, ...others] = options.filter(([first]) => first?.code !== 'invalid_type' || first.path.length > 0);
  if (chosen && others.length === 0) return chosen;
  return isNullOnly(options[1]) ? options[0] : undefined;
}

function isNullOnly(issues: z.core.$ZodIssue[] | undefined): boolean {
  const [first] = issues ?? [];
  return first?.code === 'invalid_type' && first.expected === 'null';
}

function toPath(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
