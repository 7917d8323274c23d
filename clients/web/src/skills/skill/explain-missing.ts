import { FleetError } from '@agent-fleet/sdk';

/** Why there is no SKILL.md, in words. */
export function explainMissing(error: unknown, host: string | undefined): string {
  const from = host ?? 'its host';
  if (!(error instanceof FleetError)) return 'It could not be shown.';
  if (error.status === 404) {
    return host
      ? `There is no such file at ${host}, or it is private. It may have moved since the registry was written.`
      : 'Its registry does not say where it is.';
  }
  if (error.status === 502) return `It could not be fetched from ${from}: the host fails, or the file is too large.`;
  if (error.status === 504) return `It could not be fetched from ${from}: the host did not respond within 10 s.`;
  if (error.status === 503) return `It could not be fetched from ${from} now: too many files are being fetched.`;
  if (error.status === 429) return 'You have sent too many requests. Wait for a minute.';
  return `It could not be fetched from ${from}.`;
}
