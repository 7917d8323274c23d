import { useGet } from '../api/use-get.ts';
import { Button } from '../components/button.tsx';
import { Combobox } from '../components/combobox.tsx';
import { SelectField, TextArea, TextField, toOption } from '../components/field.tsx';
import type { Fields } from '../components/use-form.ts';
import { findSkills, typedSkill } from '../tasks/task-form.tsx';
import { bytes } from '../text/numbers.ts';
import { utf8Bytes } from '../text/pieces.ts';
import {
  type DefinitionField,
  type Draft,
  FIELDS,
  MAX_SERVERS,
  NOTE,
  problemOf,
  serverFields,
  serverKind,
} from './definition-fields.ts';
import './definitions.css';

interface FormProps {
  fields: Fields<Draft>;
  /** Which fields of a definition; default all. */
  paths?: readonly string[];
}

export function DefinitionFields({ fields, paths }: FormProps) {
  const models = useGet('/stats', {}).data?.usage.by_model.map(({ model }) => model);
  const shown = FIELDS.filter(({ path }) => !paths || paths.includes(path));
  return (
    <div class="task-field-grid definition-fields">
      {shown.map((one) => (
        <Field key={one.path} field={one} fields={fields} suggestions={one.path === 'model' ? models : undefined} />
      ))}
      {!paths && <Servers fields={fields} />}
      {!paths && <Field field={NOTE} fields={fields} />}
    </div>
  );
}

interface FieldProps {
  field: DefinitionField;
  fields: Fields<Draft>;
  suggestions?: readonly string[] | undefined;
}

function Field({ field, fields, suggestions }: FieldProps) {
  const { path, kind, label, hint, options = [] } = field;
  const { value = '', error, onInput } = fields.field(path);
  const problem = problemOf(field, value) ?? error;
  const shared = { label, value, onInput, ...(problem && { error: problem }) };
  if (kind === 'select') {
    return <SelectField {...shared} options={[{ value: '', label: 'Not set' }, ...options.map(toOption)]} />;
  }
  if (kind === 'text' || kind === 'number') {
    return <TextField {...shared} hint={hint} autocomplete="off" suggestions={suggestions} />;
  }
  const size = kind === 'area' ? ` ${bytes(utf8Bytes(value))} of 64 KiB.` : '';
  const area = <TextArea {...shared} hint={`${hint}${size}`} rows={kind === 'area' ? 10 : 2} isCode />;
  if (kind !== 'skills') return area;
  const add = (id: string) => onInput([value.trim(), id].filter(Boolean).join('\n'));
  return (
    <div class="stack-tight">
      {area}
      <Combobox label="Find a skill" fixed={typedSkill} search={findSkills} onChoose={add} />
    </div>
  );
}

/** A group for each MCP server. */
function Servers({ fields }: { fields: Fields<Draft> }) {
  const { values, set } = fields;
  const places = Array.from({ length: MAX_SERVERS }, (_, at) => at);
  const free = places.find((at) => !serverKind(values, at));
  const add = (kind: string, word: string) => (
    <Button isSmall onClick={() => set({ [`mcp_servers.${free}.${kind}`]: '' })}>
      Add an MCP server {word}
    </Button>
  );
  return (
    <>
      {places.map((at) => {
        const kind = serverKind(values, at);
        return (
          kind && (
            <fieldset key={at} class="stack definition-server">
              <legend>MCP server {at + 1}</legend>
              {serverFields(at, kind === 'url').map((one) => (
                <Field key={one.path} field={one} fields={fields} />
              ))}
              <Button isSmall onClick={() => set({ [`mcp_servers.${at}.${kind}`]: undefined })}>
                Remove it
              </Button>
            </fieldset>
          )
        );
      })}
      {free !== undefined && (
        <div class="row definition-server">
          {add('url', 'by its URL')}
          {add('command', 'by a command')}
        </div>
      )}
    </>
  );
}
