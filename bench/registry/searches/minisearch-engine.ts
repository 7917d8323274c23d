import MiniSearch from 'minisearch';
import { createPeerSkills, type PeerSkill, SEARCHED_FIELDS } from './peer-skills.ts';
import type { SearchedRegistry } from './queries.ts';
import { type BenchedEngine, matchesPrefixes, PAGE, requiresAll, wordsOf } from './search-engine.ts';

/** As in the documentation: a fifth of the letters may be wrong. */
const FUZZY = 0.2;
/** The rule of our engine: shorter words have no typo. */
const MIN_TYPO = 4;
const BOOST = { name: 10, tags: 5, author: 4, repo: 4, category: 4, description: 1 };

/** https://lucaong.github.io/minisearch */
export async function prepareMiniSearch(registry: SearchedRegistry): Promise<() => BenchedEngine> {
  const skills = createPeerSkills(registry);
  return () => {
    const index = new MiniSearch<PeerSkill>({ fields: [...SEARCHED_FIELDS], storeFields: ['category'] });
    index.addAll(skills);
    const jsons = skills.splice(0).map(({ json }) => json);
    return {
      cannot: ['author', 'stars'],
      find({ q = '', category }) {
        const found = index.search(q, {
          prefix: (word, at, words) => matchesPrefixes(word, at === words.length - 1),
          fuzzy: (word) => (word.length >= MIN_TYPO ? FUZZY : false),
          boost: BOOST,
          combineWith: requiresAll(wordsOf(q)) ? 'AND' : 'OR',
          filter: category ? (result) => result.category === category : undefined,
        });
        Buffer.from(Array.from(found.slice(0, PAGE), ({ id }) => jsons[id]).join(','));
        return found.length;
      },
    };
  };
}
