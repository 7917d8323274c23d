import { keyOf } from '../../index/words/fold.ts';
import type { DeclaredCategory } from '../../read/declared-categories.ts';
import { compareTexts } from '../../skills/text.ts';
import type { Categories, Category, Tag } from './contract.ts';

/** Maximum number of listed tags. */
const MAX_TAGS = 10_000;

/** Counts the categories and tags of a snapshot. Equal ones by `keyOf` are one, in the first spelling. */
export class CategoryCount {
  /** By the keys of ids and names. */
  readonly #categories = new Map<string, Category>();
  readonly #tags = new Map<string, Tag>();
  /** By spelling, which is faster than by key. */
  readonly #tagSpellings = new Map<string, Tag>();

  /** Adds the declared categories of a file. A known category keeps its id, name and description. */
  declare(declared: readonly DeclaredCategory[]): void {
    // Looks up all before it adds any: two categories of a file stay two, even if one has the id of the other as name.
    const byId = declared.map(({ id }) => this.#find(id));
    const taken = new Set(byId);
    const known = declared.map(({ name }, at) => byId[at] ?? this.#findOther(name, taken));
    const categories = declared.map(({ id }, at) => known[at] ?? this.#find(id) ?? this.#add(id));
    for (const [at, category] of categories.entries()) {
      const { id, name, description } = declared[at] as DeclaredCategory;
      // Until now, only its id was known.
      if (category.name === category.id) category.name = name;
      category.description ??= description;
      this.#alias(category, id, name);
    }
  }

  /** Counts the category of a skill, given by id or name. Returns the id. */
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

  /** By descending count, then by id or name. */
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

  /** Finds a category that is not in `taken`, and adds it to `taken`. */
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
