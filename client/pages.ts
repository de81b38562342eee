/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  /** The cursor of the page after this one. `null`: this is the last. */
  next: string | null;
  /** The search ran out of time before the page was full. */
  incomplete?: true;
}

/** A list: iterate over it for its items, or over `pages()`. */
export interface Pages<Item> extends AsyncIterable<Item> {
  /** The pages, one request each. */
  pages(): AsyncIterable<Page<Item>>;
}

/**
 * Makes a list out of a function that reads one page. It asks for a page only when the one before is
 * used up, and every iteration begins anew.
 */
export function listOf<Item>(
  readPage: (cursor: string | undefined) => Promise<Page<Item>>,
  from?: string,
): Pages<Item> {
  async function* pages(): AsyncGenerator<Page<Item>> {
    let cursor = from;
    do {
      const page = await readPage(cursor);
      yield page;
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}
