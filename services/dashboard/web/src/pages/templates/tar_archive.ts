/** A file of an archive. */
export interface ArchivedFile {
  /** With `/` between its steps; at most 100 bytes in UTF-8. */
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
}

const BLOCK = 512;
const MAX_PATH_BYTES = 100;

/**
 * Returns a tar archive of files (POSIX ustar), in pieces.
 *
 * @throws {Error} If a path is too long for the format
 */
export function tarArchive(
  files: readonly ArchivedFile[],
  { at }: { at: Date },
): Uint8Array<ArrayBuffer>[] {
  const pieces = files.flatMap(({ path, bytes }) => [
    headerOf(path, { size: bytes.length, at }),
    bytes,
    new Uint8Array((BLOCK - bytes.length % BLOCK) % BLOCK),
  ]);
  return [...pieces, new Uint8Array(2 * BLOCK)];
}

function headerOf(path: string, { size, at }: { size: number; at: Date }): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(BLOCK);
  const encoder = new TextEncoder();
  const put = (offset: number, text: string) => header.set(encoder.encode(text), offset);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  if (encoder.encode(path).length > MAX_PATH_BYTES) {
    throw new Error(`Cannot write "${path}" into an archive: the path is too long`);
  }
  put(0, path);
  put(100, octal(0o644, 7));
  put(108, octal(0, 7));
  put(116, octal(0, 7));
  put(124, octal(size, 11));
  put(136, octal(Math.floor(at.getTime() / 1000), 11));
  // The sum counts its own field as spaces.
  put(148, " ".repeat(8));
  put(156, "0");
  put(257, "ustar\0");
  put(263, "00");
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return header;
}
