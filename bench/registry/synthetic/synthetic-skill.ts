import { createRandom, integer, pick, type Random, toSeed, zipfRank } from './random.ts';
import {
  ADJECTIVE_COUNT,
  adjectiveAt,
  CATEGORIES,
  inventedWord,
  TOPICS,
  VERB_COUNT,
  verbAt,
  WORD_COUNT,
  wordAt,
} from './vocabulary.ts';

const MAX_DESCRIPTION = 400;
const MIN_DESCRIPTION = 60;
const REPOSITORIES = 20_000;
const TAGS = 5_000;
const MAX_STARS = 200_000;
const ROLES = [
  'helper',
  'expert',
  'guide',
  'builder',
  'reviewer',
  'generator',
  'analyzer',
  'patterns',
  'workflow',
  'cli',
];
const IS_TOPIC = new Set(TOPICS);
/** Each purpose has its own random sequence, so that a change of one leaves the others unchanged. */
const DRAW = { name: 1, rest: 2, description: 3, repository: 4 } as const;

/** A record of a registry file. */
export type SyntheticSkill = Record<string, unknown>;

/**
 * Returns a record; equal arguments give equal records. A `revision` other than 0 changes the description and the
 * stars. Ten percent of the records repeat an earlier name, and about four percent have missing or unusual values.
 */
export function createSkill(seed: number, id: number, revision: number): SyntheticSkill {
  const random = createRandom(toSeed(seed, id, DRAW.rest));
  const name = nameOf(seed, id);
  const { repo, stars } = createRepository(seed, zipfRank(random, REPOSITORIES));
  const skill = {
    name,
    description: createDescription(createRandom(toSeed(seed, id, DRAW.description, revision))),
    install: repo,
    repo,
    path: random() < 0.5 ? '' : `skills/${name}`,
    category: CATEGORIES[zipfRank(random, CATEGORIES.length, 1)],
    tags: createTags(random, name),
    source: random() < 0.9 ? 'Synced Skills' : 'Community Skills',
    stars: stars + revision,
    featured: stars > 50,
  };
  return { ...skill, ...createOddity(random, revision) };
}

/** Ten percent of the names repeat an earlier one. */
function nameOf(seed: number, id: number): string {
  const random = createRandom(toSeed(seed, id, DRAW.name));
  if (id > 0 && random() < 0.1) return nameOf(seed, integer(random, 0, id - 1));
  // Names of one word are drawn uniformly, so that they rarely repeat.
  if (random() < 0.05) return wordAt(integer(random, 0, WORD_COUNT - 1));
  const parts = Array.from({ length: integer(random, 2, 3) }, () => wordAt(zipfRank(random, WORD_COUNT)));
  if (random() < 0.4) parts.push(pick(random, ROLES));
  return [...new Set(parts)].join('-');
}

function createRepository(seed: number, number: number): { repo: string; stars: number } {
  const random = createRandom(toSeed(seed, number, DRAW.repository));
  const author =
    number % 5 === 0 ? inventedWord(number) : `${inventedWord(number)}-${pick(random, ['dev', 'ai', 'labs', 'hq'])}`;
  const repo = `${author}/${pick(random, ['claude-skills', 'agent-skills', 'skills', 'plugins', wordAt(number % TOPICS.length)])}`;
  // A Pareto-like distribution: half have some hundred stars, few have very many.
  return { repo, stars: Math.min(MAX_STARS, Math.floor(120 / (1 - random()) ** 1.4) - 120) };
}

/** Realistic sentences, truncated within a word at the maximum length, as registries do. */
function createDescription(random: Random): string {
  const length = integer(random, MIN_DESCRIPTION, MAX_DESCRIPTION + 20);
  let text = createSentence(random);
  while (text.length < length) text += ` ${createSentence(random)}`;
  return text.length > MAX_DESCRIPTION ? text.slice(0, MAX_DESCRIPTION) : text;
}

function createSentence(random: Random): string {
  const word = () => wordAt(zipfRank(random, WORD_COUNT));
  const topic = () => TOPICS[zipfRank(random, TOPICS.length)];
  const verb = () => verbAt(zipfRank(random, VERB_COUNT));
  const adjective = () => adjectiveAt(zipfRank(random, ADJECTIVE_COUNT));
  switch (integer(random, 0, 4)) {
    case 0:
      return `${toCapital(verb().base)} ${adjective()} ${topic()} ${word()}s for ${word()} and ${topic()} projects.`;
    case 1:
      return `Use when ${verb().gerund} ${topic()} ${word()}s, ${verb().gerund} ${word()}, or the user asks about ${topic()}.`;
    case 2:
      return `${toCapital(adjective())} ${topic()} skill that ${verb().third} ${word()} ${topic()} with ${word()}, ${word()} and ${word()}.`;
    case 3:
      return `Covers ${topic()} ${word()}, ${adjective()} ${topic()}s, ${word()} integration and best practices for ${word()}.`;
    default:
      return `Trigger with phrases like "${verb().base} the ${topic()}" or "${verb().base} my ${word()}".`;
  }
}

/** Up to two topics of the name, and up to three other tags. */
function createTags(random: Random, name: string): string[] {
  const own = name.split('-').filter((word) => IS_TOPIC.has(word));
  const others = Array.from({ length: integer(random, 1, 3) }, () => tagAt(zipfRank(random, TAGS)));
  return [...new Set([...own.slice(0, 2), ...others])];
}

/** Single topics first, then pairs of topics. */
function tagAt(rank: number): string {
  const topic = TOPICS[rank % TOPICS.length] as string;
  return rank < TOPICS.length ? topic : `${topic}-${TOPICS[Math.floor(rank / TOPICS.length) * 7]}`;
}

/** Unusual values that real files have; changed records keep their description. */
function createOddity(random: Random, revision: number): SyntheticSkill {
  const draw = random();
  const undescribed = revision === 0;
  if (draw < 0.01) return { tags: [] };
  if (draw < 0.016) return { category: undefined };
  if (draw < 0.02) return { category: null, tags: null };
  if (draw < 0.024) return { tags: ['', ' ', '#1', 'AI ', 'ai'] };
  if (draw < 0.028) return { stars: null };
  if (draw < 0.032) return { name: `技能-${integer(random, 1, 9_999)}` };
  if (draw < 0.036 && undescribed) return { description: '|' };
  if (draw < 0.04 && undescribed) return { description: null };
  return {};
}

function toCapital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
