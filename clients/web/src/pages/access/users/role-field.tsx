import { SelectField } from '../../../components/field.tsx';
import { meaningOf, ROLES, type Role } from './user.ts';

export function RoleField({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <SelectField
      label="Role"
      hint={meaningOf(role)}
      value={role}
      options={ROLES}
      onChange={(value) => onChange(value as Role)}
    />
  );
}
