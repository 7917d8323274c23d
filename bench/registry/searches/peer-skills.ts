import { createSkill } from '../synthetic/synthetic-skill.ts';
import type { SearchedRegistry } from './queries.ts';

/** A record with the fields that our engine searches, as texts. */
export interface PeerSkill {
  id: number;
  name: string;
  tags: string;
  author: string;
  repo: string;
  category: string;
  description: string;
  stars: number;
  json: string;
}

/** From the most important to the least. */
export const SEARCHED_FIELDS = ['name', 'tags', 'author', 'repo', 'category', 'description'] as const;

export function createPeerSkills({ seed, skills }: SearchedRegistry): PeerSkill[] {
  return Array.from({ length: skills }, (_, id) => {
    const record = createSkill(seed, id, 0);
    const { name, repo, category, description, stars, tags } = record;
    return {
      id,
      name: String(name),
      tags: Array.isArray(tags) ? tags.join(' ') : '',
      author: String(repo).split('/')[0] ?? '',
      repo: String(repo),
      category: String(category ?? ''),
      description: String(description ?? ''),
      stars: Number(stars ?? 0),
      json: JSON.stringify(record),
    };
  });
}
