/** A queue that removes from its front without moving the rest. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  /** Puts items before all others, in the given order. */
  putBack(items: readonly T[]): void {
    this.#items = [...items, ...this.#items.slice(this.#head)];
    this.#head = 0;
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  take(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head++;
    if (this.#head > 1_000 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Removes all matching items and returns them, in order. */
  remove(matches: (item: T) => boolean): T[] {
    const waiting = this.#items.slice(this.#head);
    this.#items = waiting.filter((item) => !matches(item));
    this.#head = 0;
    return waiting.filter(matches);
  }
}
