import { Checkbox, type Option, SelectField, TextField } from '../components/field.tsx';
import type { FormField } from './form-values.ts';

interface FormInputProps {
  field: FormField;
  value: unknown;
  onInput: (value: unknown) => void;
}

export function FormInput({ field: { label, hint, type, choices, isRequired }, value, onInput }: FormInputProps) {
  if (type === 'boolean') {
    return <Checkbox label={hint ? `${label}: ${hint}` : label} isChecked={value === true} onChange={onInput} />;
  }
  if (type === 'array') {
    return (
      <fieldset class="stack-tight">
        <legend class="field-label">{label}</legend>
        {hint && <p class="field-hint">{hint}</p>}
        <Choices options={choices ?? []} chosen={value as string[]} onChange={onInput} />
      </fieldset>
    );
  }
  if (choices) {
    const options = isRequired && value !== '' ? choices : [{ value: '', label: '–' }, ...choices];
    return <SelectField {...{ label, hint, options, onInput }} required={isRequired} value={String(value)} />;
  }
  const number = { type: 'number', step: type === 'integer' ? 1 : 'any' } as const;
  const kind = type === 'string' ? {} : number;
  return <TextField {...{ label, hint, onInput }} {...kind} required={isRequired} value={String(value)} />;
}

interface ChoicesProps {
  options: readonly Option[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** Several of a list. */
export function Choices({ options, chosen, onChange }: ChoicesProps) {
  return (
    <>
      {options.map(({ value, label }) => (
        <Checkbox
          key={value}
          label={label}
          isChecked={chosen.includes(value)}
          onChange={(isOn) => onChange([...chosen.filter((one) => one !== value), ...(isOn ? [value] : [])])}
        />
      ))}
    </>
  );
}
