import { packTar } from "modern-tar";

/** A file of an archive. */
export interface ArchivedFile {
  /** With `/` between its steps. */
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Returns a tar archive of files that everyone may read. */
export function tarArchive(
  files: readonly ArchivedFile[],
  { at: mtime }: { at: Date },
): Promise<Uint8Array<ArrayBuffer>> {
  return packTar(files.map(({ path: name, bytes: body }) => ({
    header: { name, size: body.length, mode: 0o644, mtime, type: "file" },
    body,
  })));
}
