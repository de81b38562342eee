/** What {@linkcode IdlePages} keeps. */
interface Closable {
  close(): Promise<void>;
}

/**
 * Pages that wait for their next document. A page belongs to the first owner whose document it shows,
 * for its life: nobody else gets it.
 */
export class IdlePages<Page extends Closable> {
  readonly #max: number;
  readonly #idle: { page: Page; owner: string | undefined }[] = [];

  /** @param max Pages that may wait at a time; the one that has waited longest is closed */
  constructor(max: number) {
    this.#max = max;
  }

  /** Takes the page of an owner that was used last, else one that nobody owns. */
  take(owner: string): Page | undefined {
    const own = this.#idle.findLastIndex((each) => each.owner === owner);
    const at = own === -1 ? this.#idle.findLastIndex((each) => each.owner === undefined) : own;
    return at === -1 ? undefined : this.#idle.splice(at, 1)[0]?.page;
  }

  /** Lets a page wait. One that has shown nothing yet has no owner. */
  give(page: Page, owner?: string): void {
    this.#idle.push({ page, owner });
    // Not awaited: a page that hangs cannot be closed.
    if (this.#idle.length > this.#max) void this.#idle.shift()?.page.close();
  }
}
