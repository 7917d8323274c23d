import { fleet } from '../../../api/fleet.ts';

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
