import type { PatchFile } from '../../patch/parse-patch.ts';
import type { NamedSkill } from '../../tasks/skill-list.tsx';
import { type Fields, toFields, toList, toNumber, toText } from '../../text/unknown.ts';

/** What is known of a result with an agent's session, or a text. Workers may report any JSON. */
export interface AgentResult {
  /** Undefined: of another worker, whose result is shown with its text. */
  runtime: string | undefined;
  session: string | undefined;
  model: string | undefined;
  text: string | undefined;
  /** Undefined or null: none. */
  output: unknown;
  turns: number | undefined;
  durationMs: number | undefined;
  skills: NamedSkill[];
  /** What the agent was not allowed to do. */
  denials: { tool: string; detail: string }[];
  patch: string;
  isPatchCut: boolean;
  /** The files that were changed, those that the patch does not have too. */
  files: PatchFile[];
}

/** Undefined for any other result. A part that is missing or of another type is left out. */
export function readAgentResult(result: unknown): AgentResult | undefined {
  const fields = toFields(result);
  const session = toFields(fields.session);
  const changes = toFields(fields.changes);
  const runtime = toText(session.runtime);
  if (!runtime && !toText(fields.text)) return undefined;
  return {
    runtime,
    session: toText(session.id),
    model: toText(fields.model),
    text: toText(fields.text),
    output: fields.output,
    turns: toNumber(fields.turns),
    durationMs: toNumber(fields.duration_ms),
    skills: toList(fields.skills).flatMap(toSkill),
    denials: toList(fields.permission_denials).flatMap(toDenial),
    patch: toText(changes.patch) ?? '',
    isPatchCut: changes.patch_truncated === true,
    files: toList(changes.files).flatMap(toFile),
  };
}

function toSkill({ id, digest, verified }: Fields): NamedSkill[] {
  return typeof id === 'string' ? [{ id, digest: toText(digest), isVerified: verified === true }] : [];
}

function toDenial({ tool, detail }: Fields): AgentResult['denials'] {
  return typeof tool === 'string' ? [{ tool, detail: toText(detail) ?? '' }] : [];
}

function toFile({ path, status, added, removed }: Fields): PatchFile[] {
  if (typeof path !== 'string') return [];
  const note = status === 'modified' ? undefined : toText(status);
  return [{ path, notes: note ? [note] : [], added: toNumber(added) ?? 0, removed: toNumber(removed) ?? 0, lines: [] }];
}
