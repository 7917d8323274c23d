import type { Scope } from '../../../api/session.ts';
import { Checkbox, SelectField } from '../../../components/field.tsx';
import { ROLE_SCOPES, SCOPE_MEANINGS } from './api-key.ts';
import { accessOptions, CHOSEN_SCOPES, type KeyDraft } from './key-draft.ts';

interface AccessFieldsProps {
  draft: KeyDraft;
  givable: readonly Scope[];
  onChange: (changes: Partial<KeyDraft>) => void;
}

/** What a new key may do: what a role may, or chosen scopes. */
export function AccessFields({ draft: { access, scopes }, givable, onChange }: AccessFieldsProps) {
  const isChosen = access === CHOSEN_SCOPES;
  const toggle = (scope: Scope, isOn: boolean) =>
    onChange({ scopes: givable.filter((one) => (one === scope ? isOn : scopes.includes(one))) });
  return (
    <>
      <SelectField
        label="Access"
        hint={isChosen ? undefined : ROLE_SCOPES[access]?.map((scope) => SCOPE_MEANINGS[scope]).join(' · ')}
        value={access}
        options={accessOptions(givable)}
        onChange={(value) => onChange({ access: value })}
      />
      {isChosen && (
        <fieldset class="access-checks">
          <legend class="visually-hidden">Scopes</legend>
          {givable.map((scope) => (
            <Checkbox
              key={scope}
              label={
                <>
                  <code>{scope}</code> <span class="muted small">{SCOPE_MEANINGS[scope]}</span>
                </>
              }
              isChecked={scopes.includes(scope)}
              onChange={(isOn) => toggle(scope, isOn)}
            />
          ))}
        </fieldset>
      )}
    </>
  );
}
