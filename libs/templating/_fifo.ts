/** A queue that takes from its front without moving the rest each time. */
export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  /** Before all that waits, in the order given. */
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

  /** Takes out all that match, in order. */
  remove(matches: (item: T) => boolean): T[] {
    const waiting = this.#items.slice(this.#head);
    this.#items = waiting.filter((item) => !matches(item));
    this.#head = 0;
    return waiting.filter(matches);
  }
}
