import type { StorePart } from "@posthaste/storage";
import type { Sandbox } from "@posthaste/templating";

const BATCH_SIZE = 20;

/** Options of {@linkcode noteReads}. */
export interface NoteReadsOptions {
  store: StorePart<"templates.versionsWithoutReads" | "templates.noteReads">;
  sandbox: Pick<Sandbox, "check">;
}

/**
 * Records the variables that older versions read, which were published before they were recorded. It can be
 * repeated and interrupted. Returns the number of versions. A version that the sandbox cannot parse stays
 * unchanged: its schema is made of the declared variables.
 */
export async function noteReads({ store, sandbox }: NoteReadsOptions): Promise<number> {
  let count = 0;
  for (let after = "";;) {
    const found = await store.templates.versionsWithoutReads({ after, limit: BATCH_SIZE });
    for (const { _id, parts } of found) {
      const sources = "filename" in parts ? { html: parts.html, subject: parts.filename } : parts;
      const checked = await sandbox.check(sources).catch(() => undefined);
      if (checked === undefined || checked.errors.length > 0) continue;
      await store.templates.noteReads(_id, checked.reads);
      count++;
    }
    const last = found.at(-1);
    if (last === undefined) return count;
    after = last._id;
  }
}
