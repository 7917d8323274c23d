import type { Option } from '../components/field.tsx';
import { capital } from '../text/pieces.ts';
import { safeLine } from '../text/safe-text.ts';

type Json = Record<string, unknown>;

export interface FormField {
  name: string;
  label: string;
  hint: string | undefined;
  type: string;
  choices: Option[] | undefined;
  isRequired: boolean;
  initial: unknown;
}

/** The fields of a flat JSON Schema, as the fleet has accepted it. */
export function toFormFields(schema: Json | null): FormField[] {
  const required = (schema?.required ?? []) as string[];
  return Object.entries((schema?.properties ?? {}) as Record<string, Json>).map(([name, property]) => {
    const { type, title, description, default: initial, items } = property;
    return {
      name,
      label: safeLine(String(title ?? capital(name))),
      hint: description === undefined ? undefined : safeLine(String(description)),
      type: String(type),
      choices: toChoices((items ?? property) as Json),
      isRequired: required.includes(name),
      initial: initial ?? (type === 'array' ? [] : type === 'boolean' ? false : ''),
    };
  });
}

function toChoices({ enum: values, oneOf, anyOf }: Json): Option[] | undefined {
  const titled = (oneOf ?? anyOf) as { const: string; title?: unknown }[] | undefined;
  const choices = titled ?? (values as string[] | undefined)?.map((value) => ({ const: value, title: value }));
  return choices?.map(({ const: value, title }) => ({ value, label: safeLine(String(title ?? value)) }));
}

/** What is sent: fields that were left empty are not. */
export function toFormValues(fields: readonly FormField[], values: Json): Json {
  const filled = fields.filter(({ name }) => values[name] !== '');
  const isNumber = ({ type }: FormField) => type === 'number' || type === 'integer';
  return Object.fromEntries(
    filled.map((field) => [field.name, isNumber(field) ? Number(values[field.name]) : values[field.name]]),
  );
}
