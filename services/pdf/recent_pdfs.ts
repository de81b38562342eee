/** Memory for PDFs that were printed last, in bytes. */
const MAX_BYTES = 16_000_000;

/** The most recent PDFs, by their keys. The oldest are removed. */
export class RecentPdfs {
  readonly #pdfs = new Map<string, Buffer>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Buffer | undefined {
    return this.#pdfs.get(key);
  }

  add(key: string, pdf: Buffer): void {
    this.#drop(key);
    this.#pdfs.set(key, pdf);
    this.#bytes += pdf.length;
    for (const oldest of this.#pdfs.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#pdfs.get(key)?.length ?? 0;
    this.#pdfs.delete(key);
  }
}
