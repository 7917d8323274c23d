import { short } from '../text/pieces.ts';
import { safeLine } from '../text/safe-text.ts';

/** `sha256:` and the beginning of the number. */
const SHOWN_DIGEST = 19;
const MAX_ID_CHARACTERS = 200;

export interface NamedSkill {
  id: string;
  digest?: string;
  /** Whether the worker has compared the digest; undefined before a task has run. */
  isVerified?: boolean;
}

/** Skills of the registry, with links to their pages. */
export function SkillList({ skills }: { skills: readonly NamedSkill[] }) {
  return (
    <ul class="stack-tight">
      {skills.map(({ id, digest, isVerified }, index) => (
        <li key={index} class="row">
          <a href={`/skills/${encodeURIComponent(id.toWellFormed())}`}>{short(id, MAX_ID_CHARACTERS)}</a>
          {digest && (
            <span class="mono small muted" title={safeLine(digest)}>
              {short(digest, SHOWN_DIGEST)}
            </span>
          )}
          {isVerified !== undefined && <span class="small muted">{isVerified ? 'verified' : 'not verified'}</span>}
        </li>
      ))}
    </ul>
  );
}
