import type { ListQuery, Sort } from './contract.ts';
import type { IndexedSkill, SkillIndex } from './skill-index.ts';

type Order = 'asc' | 'desc';

/** Text as it is compared: compatibility forms, lower case; spaces, dashes and underscores are all one space. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
}

/** The skills that fit a query, in its order, before `skip` and `limit`. */
export function findSkills(index: SkillIndex, query: ListQuery): readonly IndexedSkill[] {
  const wanted = fold(query.q ?? '');
  const asked = query.sort ?? 'relevance';
  const sort = asked === 'relevance' && !wanted ? 'name' : asked;
  const order = query.order ?? (sort === 'name' ? 'asc' : 'desc');
  const found = filter(inOrder(index, sort, order), index, query);
  return sort === 'relevance' ? byRelevance(found, wanted, order) : found;
}

function filter(skills: readonly IndexedSkill[], index: SkillIndex, query: ListQuery): readonly IndexedSkill[] {
  const words = (query.q ?? '').split(/\s+/).map(fold).filter(Boolean);
  const category = query.category && (index.categoryIdOf(query.category) ?? query.category);
  const author = query.author?.toLowerCase();
  const tag = query.tag?.toLowerCase();
  if (words.length === 0 && !category && !author && !tag) return skills;
  return skills.filter(
    (skill) =>
      (!category || skill.category === category) &&
      (!author || skill.author === author) &&
      (!tag || skill.tags.includes(tag)) &&
      words.every((word) => skill.text.includes(word)),
  );
}

/** Best first: the exact name, names that begin with the query, names that hold it, the rest; each by name. */
function byRelevance(found: readonly IndexedSkill[], wanted: string, order: Order): IndexedSkill[] {
  const ranks: IndexedSkill[][] = [[], [], [], []];
  for (const skill of found) ranks[rankOf(skill.name, wanted)]?.push(skill);
  return (order === 'desc' ? ranks : ranks.reverse()).flat();
}

function rankOf(name: string, wanted: string): number {
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  return name.includes(wanted) ? 2 : 3;
}

/** All skills in one order, sorted when first asked for; equal ones stay in the order of their names, as sorting is stable. */
function inOrder(index: SkillIndex, sort: Sort, order: Order): readonly IndexedSkill[] {
  if (sort === 'relevance' || (sort === 'name' && order === 'asc')) return index.skills;
  const key = `${sort} ${order}` as const;
  const made = index.orders.get(key);
  if (made) return made;
  const sorted = sort === 'name' ? index.skills.toReversed() : index.skills.toSorted(comparison(VALUES[sort], order));
  index.orders.set(key, sorted);
  return sorted;
}

/** RFC 3339 in UTC compares as text. */
const VALUES: Record<'stars' | 'downloads' | 'updated', (skill: IndexedSkill) => number | string | null> = {
  stars: (skill) => skill.stars,
  downloads: (skill) => skill.downloads,
  updated: (skill) => skill.updatedAt,
};

/** Unknown values come last in either order. */
function comparison(of: (skill: IndexedSkill) => number | string | null, order: Order) {
  const sign = order === 'asc' ? 1 : -1;
  return (a: IndexedSkill, b: IndexedSkill) => {
    const [left, right] = [of(a), of(b)];
    if (left === right) return 0;
    if (left === null) return 1;
    if (right === null) return -1;
    return left < right ? -sign : sign;
  };
}
