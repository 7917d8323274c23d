import { CopyButton } from '../../components/copy.tsx';
import { type Fact, Facts } from '../../components/facts.tsx';
import { Panel } from '../../components/panel.tsx';
import { short } from '../../text/pieces.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { hrefWith } from '../search/list-query.ts';
import type { Skill, SkillFile } from './records.ts';
import { type Check, checksOf } from './skill-checks.ts';
import { isCommit, repositoryPage, skillPage, webAddress } from './source-links.ts';

const SIGNS: Record<Check['tone'], [sign: string, meaning: string]> = {
  ok: ['✓', 'Good'],
  warn: ['!', 'Warning'],
  error: ['✕', 'Wrong'],
  neutral: ['–', 'Note'],
};

interface ChecksPanelProps {
  skill: Skill;
  file: SkillFile | undefined;
}

export function ChecksPanel({ skill, file }: ChecksPanelProps) {
  return (
    <Panel title="Checks">
      <ul class="stack-tight">
        {checksOf(skill, file).map(({ tone, text }) => (
          <li key={text} class="check">
            <span class="check-sign" data-tone={tone} aria-hidden="true">
              {SIGNS[tone][0]}
            </span>
            <span>
              <span class="visually-hidden">{SIGNS[tone][1]}: </span>
              {text}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const MAX_TEXT = 300;
const COMMIT_DIGITS = 12;

interface FactsPanelProps {
  skill: Skill;
  file: SkillFile | undefined;
}

/** Where the skill comes from, and the digests of its content. */
export function FactsPanel({ skill, file }: FactsPanelProps) {
  return (
    <Panel title="Provenance">
      <Facts
        facts={[...placeFacts(skill), ...recordFacts(skill), ...digestFacts(skill, file), ...registryFacts(skill)]}
      />
    </Panel>
  );
}

function placeFacts({ source }: Skill): Fact[] {
  const { repo, path, ref, url } = source;
  const page = skillPage(source);
  return [
    ['Repository', repo && <Outward href={repositoryPage(source)} text={repo} />],
    ['Path', path && <Outward href={page} text={path} />],
    [
      isCommit(ref) ? 'Commit' : 'Branch or tag',
      ref && <code>{isCommit(ref) ? ref.slice(0, COMMIT_DIGITS) : short(ref, MAX_TEXT)}</code>,
    ],
    ['Address', url && <Outward href={page === undefined ? undefined : webAddress(url)} text={url} />],
  ];
}

function recordFacts({ license, author, version, compatibility, updated_at }: Skill): Fact[] {
  return [
    ['Author', author && <a href={hrefWith(new URLSearchParams(), { author })}>{short(author, MAX_TEXT)}</a>],
    [
      'Licence',
      license ? <a href={hrefWith(new URLSearchParams(), { license })}>{short(license, MAX_TEXT)}</a> : 'Not named',
    ],
    ['Version', version && short(version, MAX_TEXT)],
    ['Compatibility', compatibility && short(compatibility, MAX_TEXT * 2)],
    ['Updated', updated_at && <RelativeTime at={updated_at} />],
  ];
}

function digestFacts({ digest, digest_of: of }: Skill, file: SkillFile | undefined): Fact[] {
  const fetched = file?.digest && `sha256:${file.digest}`;
  return [
    [`Digest of the ${of === 'folder' ? 'folder' : 'SKILL.md'}`, digest && <Digest digest={digest} />],
    ['SKILL.md as fetched', fetched && fetched !== digest ? <Digest digest={fetched} /> : undefined],
  ];
}

function registryFacts({ id, registries }: Skill): Fact[] {
  return [
    [
      registries.length > 1 ? `Listed by ${registries.length}` : 'Listed by',
      <ul key="registries">
        {registries.map((registry) => (
          <li key={registry}>
            {registry === 'shipped' ? (
              'the skills that ship with Agent Fleet'
            ) : (
              <Outward href={webAddress(registry)} text={registry.replace(/^https?:\/\//, '')} />
            )}
          </li>
        ))}
      </ul>,
    ],
    [
      'Record',
      <a key="record" href={`/api/skills/${encodeURIComponent(id)}`}>
        JSON
      </a>,
    ],
  ];
}

function Digest({ digest }: { digest: string }) {
  return (
    <span class="digest">
      <code class="cut" title={digest}>
        {digest}
      </code>
      <CopyButton text={digest} what="the digest" />
    </span>
  );
}

/** A link to another site, or its text alone if there is no address. */
function Outward({ href, text }: { href: string | undefined; text: string }) {
  const shown = short(text, MAX_TEXT);
  if (href === undefined) return <>{shown}</>;
  return (
    <a href={href} rel="noopener noreferrer nofollow ugc">
      {shown}
    </a>
  );
}
