import { keyOf } from '../search/fold.ts';
import { compareTexts } from '../skills/text.ts';
import type { Categories, Category, Tag } from './contract.ts';
import type { DeclaredCategory } from './declared.ts';

/** How many tags are listed, the most used ones; all are counted. */
const MAX_TAGS = 10_000;

/**
 * The categories and tags of a snapshot; the same one in another case, or with its accents written in another way,
 * counts as one, in the spelling met first.
 */
export class CategoryCount {
  /** By the keys of ids and of names; ids and names that mean the same category lead to one. */
  readonly #categories = new Map<string, Category>();
  readonly #tags = new Map<string, Tag>();
  /** As written: most are met again in the same spelling, and a key takes longer than to look. */
  readonly #tagSpellings = new Map<string, Tag>();

  constructor(declared: readonly DeclaredCategory[] = []) {
    this.declare(declared);
  }

  /** Names what a file declares. A category that is known keeps its id, and what is said of it already. */
  declare(declared: readonly DeclaredCategory[]): void {
    // Found before any is added: two of one file stay two, though one has the other's id as its name.
    const byId = declared.map(({ id }) => this.#find(id));
    const taken = new Set(byId);
    const known = declared.map(({ name }, at) => byId[at] ?? this.#findOther(name, taken));
    const categories = declared.map(({ id }, at) => known[at] ?? this.#find(id) ?? this.#add(id));
    for (const [at, category] of categories.entries()) {
      const { id, name, description } = declared[at] as DeclaredCategory;
      // Named after its id by who only used it.
      if (category.name === category.id) category.name = name;
      category.description ??= description;
      this.#alias(category, id, name);
    }
  }

  /** Counts one skill's category, given by id or by name. Returns the id. */
  addCategory(given: string): string {
    const category = this.#find(given) ?? this.#add(given);
    category.count++;
    return category.id;
  }

  addTag(name: string): void {
    const tag = this.#tagSpellings.get(name) ?? this.#addTagSpelling(name);
    tag.count++;
  }

  get counts(): { categories: number; tags: number } {
    return { categories: new Set(this.#categories.values()).size, tags: this.#tags.size };
  }

  /** The most used first, then by id and name. */
  list(): Categories {
    return {
      categories: [...new Set(this.#categories.values())].sort((a, b) => b.count - a.count || compareTexts(a.id, b.id)),
      tags: [...this.#tags.values()]
        .sort((a, b) => b.count - a.count || compareTexts(a.name, b.name))
        .slice(0, MAX_TAGS),
    };
  }

  #addTagSpelling(name: string): Tag {
    const key = keyOf(name);
    const tag = this.#tags.get(key) ?? { name, count: 0 };
    this.#tags.set(key, tag);
    this.#tagSpellings.set(name, tag);
    return tag;
  }

  /** One that is none of `taken`, and is from then on. */
  #findOther(name: string, taken: Set<Category | undefined>): Category | undefined {
    const category = this.#find(name);
    if (taken.has(category)) return undefined;
    taken.add(category);
    return category;
  }

  #find(given: string): Category | undefined {
    return this.#categories.get(keyOf(given));
  }

  #add(id: string): Category {
    const category = { id, name: id, description: null, count: 0 };
    this.#categories.set(keyOf(id), category);
    return category;
  }

  #alias(category: Category, ...names: string[]): void {
    for (const name of names) {
      const key = keyOf(name);
      if (!this.#categories.has(key)) this.#categories.set(key, category);
    }
  }
}
