import { Badge } from '../../components/badge.tsx';
import { LongText } from '../../components/long-text.tsx';
import { Skeleton, SkeletonLines } from '../../components/skeleton.tsx';
import { compact } from '../../text/numbers.ts';
import { short } from '../../text/pieces.ts';
import { RelativeTime } from '../../text/relative-time.tsx';
import { facetLabel, KINDS } from '../search/labels.ts';
import { hrefWith } from '../search/list-query.ts';
import type { ListedSkill } from '../search/results.ts';
import type { Skill } from './records.ts';

const MAX_DESCRIPTION = 1_200;
const MAX_TAGS = 24;
const MAX_PART = 80;

export function SkillBadges({ skill: { kind, valid } }: { skill: ListedSkill }) {
  return (
    <>
      {kind !== 'skill' && <Badge tone="info">{KINDS[kind][0]}</Badge>}
      {!valid && <Badge tone="warn">breaks the specification</Badge>}
    </>
  );
}

/** What is known of a skill before its whole record is there; the rest follows in the same place. */
export function SkillIntroduction({ skill }: { skill: ListedSkill & Partial<Skill> }) {
  const { display_name: title, name, description } = skill;
  return (
    <div class="stack skill-introduction">
      {title !== undefined && title !== name && <p class="skill-title">{short(title, MAX_PART * 2)}</p>}
      <div class="skill-lead">
        {description ? <LongText text={description} maxCharacters={MAX_DESCRIPTION} /> : <p>No description.</p>}
      </div>
      <Byline skill={skill} />
      <Labels categories={skill.categories ?? (skill.category ? [skill.category] : [])} tags={skill.tags ?? []} />
    </div>
  );
}

function Byline({ skill: { author, license, stars, downloads, updated_at } }: { skill: ListedSkill }) {
  return (
    <p class="row small muted skill-meta">
      {author && (
        <span>
          by <a href={hrefWith(new URLSearchParams(), { author })}>{short(author, MAX_PART)}</a>
        </span>
      )}
      {license && <span>{short(license, MAX_PART)}</span>}
      {stars !== null && <span>★ {compact(stars)} stars</span>}
      {downloads !== null && <span>{compact(downloads)} downloads</span>}
      {updated_at && (
        <span>
          updated <RelativeTime at={updated_at} />
        </span>
      )}
    </p>
  );
}

interface LabelsProps {
  categories: readonly string[];
  tags: readonly string[];
}

/** Links to what else is in the same category or has the same tag. */
function Labels({ categories, tags }: LabelsProps) {
  return (
    <ul class="row" aria-label="Categories and tags">
      {categories.map((category) => (
        <li key={`category ${category}`}>
          <a class="suggestion label-category" href={hrefWith(new URLSearchParams(), { category })}>
            {facetLabel('category', category)}
          </a>
        </li>
      ))}
      {tags.slice(0, MAX_TAGS).map((tag) => (
        <li key={`tag ${tag}`}>
          <a class="suggestion" href={hrefWith(new URLSearchParams(), { tag })}>
            {short(tag, MAX_PART)}
          </a>
        </li>
      ))}
    </ul>
  );
}

export function IntroductionSkeleton() {
  return (
    <div class="stack skill-introduction">
      <SkeletonLines lines={2} />
      <Skeleton width="16rem" />
    </div>
  );
}

export function PartsSkeleton() {
  return (
    <div class="stack skill-parts">
      <Skeleton height="13rem" />
      <div class="stack skill-side">
        <Skeleton height="10rem" />
        <Skeleton height="18rem" />
      </div>
      <Skeleton height="30rem" />
    </div>
  );
}
