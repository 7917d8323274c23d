import { keyOf } from '../index/words/fold.ts';
import type { DeclaredCategory } from '../read/declared-categories.ts';
import type { Category } from '../skills/category.ts';
import { compareTexts } from '../skills/text.ts';

/** The categories of a snapshot. Equal ones by `keyOf` are one, in the first spelling. */
export class CategoryNames {
  /** By the keys of ids and names. */
  readonly #categories = new Map<string, DeclaredCategory>();
  readonly #declared = new Set<DeclaredCategory>();

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
      this.#declared.add(category);
      this.#alias(category, id, name);
    }
  }

  /** The id of a category that a record gives by id or name. The first use of a name decides. */
  idOf(given: string): string {
    return (this.#find(given) ?? this.#add(given)).id;
  }

  /** Declared categories and those with listed skills, by descending count, then by id. */
  list(countOf: (id: string) => number): Category[] {
    return [...new Set(this.#categories.values())]
      .map((category) => ({ ...category, count: countOf(category.id) }))
      .filter(({ id, count }) => count > 0 || this.#declared.has(this.#find(id) as DeclaredCategory))
      .sort((a, b) => b.count - a.count || compareTexts(a.id, b.id));
  }

  /** Finds a category that is not in `taken`, and adds it to `taken`. */
  #findOther(name: string, taken: Set<DeclaredCategory | undefined>): DeclaredCategory | undefined {
    const category = this.#find(name);
    if (taken.has(category)) return undefined;
    taken.add(category);
    return category;
  }

  #find(given: string): DeclaredCategory | undefined {
    return this.#categories.get(keyOf(given));
  }

  #add(id: string): DeclaredCategory {
    const category = { id, name: id, description: null };
    this.#categories.set(keyOf(id), category);
    return category;
  }

  #alias(category: DeclaredCategory, ...names: string[]): void {
    for (const name of names) {
      const key = keyOf(name);
      if (!this.#categories.has(key)) this.#categories.set(key, category);
    }
  }
}

/** Categories of a record: as upstream writes them, and their ids. */
export interface CategoryList {
  given: readonly string[];
  ids: readonly string[];
}

/** Numbers the distinct lists of categories of records, in the order of their first use. */
export class CategoryLists {
  readonly lists: CategoryList[] = [];
  readonly #names: CategoryNames;
  readonly #numbers = new Map<string, number>();

  constructor(names: CategoryNames) {
    this.#names = names;
  }

  numberOf(given: readonly string[]): number {
    const key = JSON.stringify(given);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.lists.length);
    const ids = [...new Set(given.map((category) => this.#names.idOf(category)))];
    return this.lists.push({ given, ids }) - 1;
  }
}
