import type { components } from '@agent-fleet/sdk';
import { session } from '../../../api/session.ts';

export type User = components['schemas']['User'];
export type Role = User['role'];

/** The lowest first, with what each may do. */
export const ROLES: readonly { value: Role; label: string; meaning: string }[] = [
  { value: 'viewer', label: 'Viewer', meaning: 'Sees agents, tasks and events.' },
  { value: 'worker', label: 'Worker', meaning: 'Sees agents and tasks, takes tasks and reports results.' },
  { value: 'operator', label: 'Operator', meaning: 'Sees everything that viewers see, and changes agents and tasks.' },
  { value: 'admin', label: 'Admin', meaning: 'Can do everything, including managing users and keys.' },
];

export function meaningOf(role: Role): string {
  return ROLES.find(({ value }) => value === role)?.meaning ?? '';
}

/** Whether it is the user who is signed in. */
export function isOneself({ email }: User): boolean {
  return email === session.value?.user;
}
