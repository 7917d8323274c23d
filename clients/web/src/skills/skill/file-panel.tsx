import { FleetError } from '@agent-fleet/sdk';
import { useState } from 'preact/hooks';
import type { Query } from '../../api/use-query.ts';
import { Button } from '../../components/button.tsx';
import { LongText } from '../../components/long-text.tsx';
import { Notice } from '../../components/notice.tsx';
import { Panel } from '../../components/panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { splitFrontMatter } from '../../markdown/front-matter.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import type { Skill, SkillFile } from './records.ts';
import { explainMissing, filePage, hostOfFile, skillPage } from './source-links.ts';

interface FilePanelProps {
  skill: Skill;
  file: Query<SkillFile>;
}

/** The SKILL.md: rendered, or as its source. */
export function FilePanel({ skill, file: { data: file, error, reload } }: FilePanelProps) {
  const [isSource, setSource] = useState(false);
  return (
    <Panel
      title="SKILL.md"
      actions={
        file && (
          <>
            <Button kind="quiet" isSmall aria-pressed={isSource} onClick={() => setSource(!isSource)}>
              Source
            </Button>
            <a class="button button-quiet button-small" href={`/api/skills/${encodeURIComponent(skill.id)}/skill.md`}>
              Raw
            </a>
          </>
        )
      }
    >
      {file && <FileText text={file.text} isSource={isSource} baseUrl={filePage(skill.source)} />}
      {!file && error !== undefined && <MissingFile skill={skill} error={error} onRetry={reload} />}
      {!file && error === undefined && <SkeletonLines lines={12} />}
    </Panel>
  );
}

interface FileTextProps {
  text: string;
  isSource: boolean;
  baseUrl: string | undefined;
}

function FileText({ text, isSource, baseUrl }: FileTextProps) {
  if (isSource) return <LongText text={text} maxCharacters={20_000} isMono />;
  const { frontMatter, body } = splitFrontMatter(text);
  return (
    <div class="stack">
      {frontMatter !== null && (
        <details class="front-matter">
          <summary>Front matter</summary>
          <LongText text={frontMatter} isMono />
        </details>
      )}
      <Markdown text={body} baseUrl={baseUrl} />
    </div>
  );
}

interface MissingFileProps {
  skill: Skill;
  error: unknown;
  onRetry: () => void;
}

function MissingFile({ skill: { source }, error, onRetry }: MissingFileProps) {
  const page = skillPage(source);
  const isFinal = error instanceof FleetError && error.status === 404;
  return (
    <Notice
      tone="warn"
      title="The SKILL.md cannot be shown"
      actions={
        <>
          {!isFinal && <Button onClick={onRetry}>Try again</Button>}
          {page && (
            <a class="button button-plain" href={page} rel="noopener noreferrer nofollow ugc">
              Open its source
            </a>
          )}
        </>
      }
    >
      <p>{explainMissing(error, hostOfFile(source))}</p>
    </Notice>
  );
}
