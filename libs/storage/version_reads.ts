import type { EmailVersion, PdfVersion, TemplateRead } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** A version without a record of what it reads. */
export type UnreadVersion = Pick<EmailVersion | PdfVersion, "_id" | "kind" | "parts">;

/** Operations of a migration on versions from before reads were recorded. */
export interface VersionReads {
  /** Lists versions that have no `reads`, of all accounts, by `_id`. */
  versionsWithoutReads(page: { after: string; limit: number }): Promise<UnreadVersion[]>;
  /** Records what a version reads, unless that is known. */
  noteReads(versionId: string, reads: TemplateRead[]): Promise<void>;
}

/** Returns the operations on the reads of versions. */
export function versionReads(db: Db): VersionReads {
  const { versions } = collectionsOf(db);
  const without = { reads: { $exists: false } };
  return {
    versionsWithoutReads: ({ after, limit }) =>
      versions.find({ _id: { $gt: after }, ...without }).sort({ _id: 1 }).limit(limit)
        .project<UnreadVersion>({ kind: 1, parts: 1 }).toArray(),
    async noteReads(_id, reads) {
      await versions.updateOne({ _id, ...without }, { $set: { reads } });
    },
  };
}
