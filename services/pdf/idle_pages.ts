/**
 * Pages that wait for their next document. A page belongs for its whole life to the first owner whose
 * document it shows.
 */
export class IdlePages<Page> {
  readonly #idle: { page: Page; owner: string | undefined }[] = [];

  /** Takes the owner's most recently used page, or one without an owner. */
  take(owner: string): Page | undefined {
    const own = this.#idle.findLastIndex((each) => each.owner === owner);
    const at = own === -1 ? this.#idle.findLastIndex((each) => each.owner === undefined) : own;
    return at === -1 ? undefined : this.#idle.splice(at, 1)[0]?.page;
  }

  /** Takes the page that has waited longest, to be closed. */
  takeOldest(): Page | undefined {
    return this.#idle.shift()?.page;
  }

  /** Keeps an idle page. A page that has shown nothing yet has no owner. */
  give(page: Page, owner?: string): void {
    this.#idle.push({ page, owner });
  }
}
