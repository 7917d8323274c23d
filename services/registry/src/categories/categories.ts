import { compareTexts } from '../skills/text.ts';
import type { Categories, Category, Tag } from './contract.ts';
import type { DeclaredCategory } from './declared.ts';

/** The categories and tags of one registry file; the same one in another case counts as one, in the spelling met first. */
export class CategoryCount {
  readonly #categories = new Map<string, Category>();
  readonly #byName = new Map<string, Category>();
  readonly #tags = new Map<string, Tag>();

  constructor(declared: readonly DeclaredCategory[]) {
    for (const category of declared) {
      const key = category.id.toLowerCase();
      if (!this.#categories.has(key)) this.#categories.set(key, { ...category, count: 0 });
    }
    for (const category of this.#categories.values()) this.#byName.set(category.name.toLowerCase(), category);
  }

  /** Counts one skill's category, given by id or by name. Returns the id. */
  addCategory(given: string): string {
    const key = given.toLowerCase();
    let category = this.#categories.get(key) ?? this.#byName.get(key);
    if (category === undefined) {
      category = { id: given, name: given, description: null, count: 0 };
      this.#categories.set(key, category);
    }
    category.count++;
    return category.id;
  }

  addTag(name: string): void {
    const tag = this.#tags.get(name.toLowerCase());
    if (tag) tag.count++;
    else this.#tags.set(name.toLowerCase(), { name, count: 1 });
  }

  /** The id of a category given by id or name in any case; undefined when there is none. */
  idOf(given: string): string | undefined {
    const key = given.toLowerCase();
    return (this.#categories.get(key) ?? this.#byName.get(key))?.id;
  }

  /** The most used first, then by id and name. */
  list(): Categories {
    return {
      categories: [...this.#categories.values()].sort((a, b) => b.count - a.count || compareTexts(a.id, b.id)),
      tags: [...this.#tags.values()].sort((a, b) => b.count - a.count || compareTexts(a.name, b.name)),
    };
  }
}
