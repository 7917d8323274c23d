import { type components, FleetError } from '@agent-fleet/sdk';
import { fleet } from '../../api/fleet.ts';
import { replaceUnchanged } from '../../api/replace-unchanged.ts';
import { session } from '../../api/session.ts';

export type User = components['schemas']['User'];
export type Role = User['role'];

/** The lowest first, with what each may do. */
export const ROLES: readonly { value: Role; label: string; meaning: string }[] = [
  { value: 'viewer', label: 'Viewer', meaning: 'Sees agents, tasks and events.' },
  { value: 'worker', label: 'Worker', meaning: 'Sees agents and tasks, takes tasks and reports results.' },
  { value: 'approver', label: 'Approver', meaning: 'Sees everything that viewers see, and answers what agents ask.' },
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

const WORDS: Record<string, string> = {
  last_admin: 'This is the last admin who can sign in. Make another user an admin first.',
  email_taken: 'Another user has this e-mail address.',
};

/** The same error, in words that say what to do, where the code has some. */
export function inWords(error: unknown): unknown {
  const words = error instanceof FleetError ? WORDS[error.code] : undefined;
  return words === undefined ? error : new Error(words, { cause: error });
}

/**
 * Replaces role and state unless others have changed them since `original` was read. The ETag of a user changes
 * with each sign-in, too; that is no reason to refuse.
 * @throws FleetError, ChangedByOthersError
 */
export async function replaceUser(original: User, body: Pick<User, 'role' | 'disabled'>): Promise<void> {
  const path = { user_id: original.id };
  try {
    await replaceUnchanged<User>({
      what: 'user',
      read: () => fleet.get('/users/{user_id}', { params: { path } }),
      isUnchanged: ({ role, disabled }) => role === original.role && disabled === original.disabled,
      replace: (header) => fleet.put('/users/{user_id}', { params: { path, header }, body }),
    });
  } catch (error) {
    throw inWords(error);
  }
}

export interface ResetCode {
  email: string;
  code: string;
  expiresAt: string;
}

/** A new code voids the one before. @throws FleetError */
export async function createResetCode(userId: string, email: string): Promise<ResetCode> {
  const { data } = await fleet.post('/users/{user_id}/password-resets', { params: { path: { user_id: userId } } });
  return { email, code: data.code, expiresAt: data.expires_at };
}
