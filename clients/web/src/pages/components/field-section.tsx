import { useState } from 'preact/hooks';
import { Checkbox, SelectField, TextArea, TextField } from '../../components/field.tsx';
import { Section } from './section.tsx';

const ROLES = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'operator', label: 'Operator' },
];

export function FieldSection() {
  const [text, setText] = useState('Release notes writer');
  const [long, setLong] = useState('{\n  "language": "en"\n}');
  const [role, setRole] = useState('viewer');
  const [isOn, setOn] = useState(true);
  return (
    <Section title="Fields">
      <div class="samples-fields">
        <TextField label="Text" value={text} onInput={setText} />
        <TextField label="With a hint" hint="What uses it, such as “Build worker”." value={text} onInput={setText} />
        <TextField label="With an error" error="Another user has this e-mail address." value={text} onInput={setText} />
        <TextField label="Empty" placeholder="Actor: e-mail, name or id" value="" onInput={() => {}} />
        <TextField label="Disabled" disabled value={text} onInput={setText} />
        <TextField label="Password" type="password" value={text} onInput={setText} autocomplete="off" />
        <TextField label="Number" type="number" value="5" onInput={() => {}} />
        <TextField label="Day" type="date" value="2026-12-31" onInput={() => {}} />
        <SelectField label="Choice" value={role} options={ROLES} onChange={setRole} />
        <SelectField
          label="Choice with a hint"
          hint="Sees agents, tasks and events."
          value={role}
          options={ROLES}
          onChange={setRole}
        />
        <TextArea label="Long text" value={long} onInput={setLong} />
        <TextArea label="Code with an error" isCode error="This is not JSON." value={long} onInput={setLong} />
      </div>
      <div class="row">
        <Checkbox label="On" isChecked={isOn} onChange={setOn} />
        <Checkbox label="Off" isChecked={!isOn} onChange={(value) => setOn(!value)} />
        <Checkbox label="Disabled" isChecked disabled onChange={() => {}} />
      </div>
    </Section>
  );
}
