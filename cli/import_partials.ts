import { type AuthoredPartial, filedSource, type FileFault } from "@posthaste/bundle";
import { BRAND, type Pinned } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { calledPartials } from "@posthaste/templating";

/** The operations that importing partials needs. */
export type PartialKeeper = StorePart<"partials.find" | "partials.change" | "partials.publish">;

/**
 * Publishes the partials of a folder that an account lacks, and returns all of them as they are published. One
 * that the account has with another text is a fault, and then none is published: templates would have to be
 * published with it.
 */
export async function importPartials(
  partials: readonly AuthoredPartial[],
  { accountId, store }: { accountId: string; store: PartialKeeper },
): Promise<{ pinned: Pinned[]; faults: FileFault[] }> {
  const faults: FileFault[] = [];
  const pinned: Pinned[] = [];
  const lacking: AuthoredPartial[] = [];
  for (const partial of partials) {
    const { name, file } = partial;
    const found = await store.partials.find({ accountId, name });
    const { published = null } = found ?? {};
    if (found === null) lacking.push(partial);
    else if (published !== null && isSame(partial, published)) {
      pinned.push({ name, version: published.version, source: published.source });
    } else faults.push({ file, message: DIFFERS });
  }
  if (faults.length > 0) return { pinned: [], faults };
  for (const { name, source, file } of lacking) {
    const at = new Date();
    const key = { accountId, name };
    const draft = await store.partials.change({
      ...{ ...key, source, revision: 0, updatedAt: at, updatedBy: null },
    });
    if (draft === null) return { pinned: [], faults: [{ file, message: DIFFERS }] };
    const calls = name === BRAND ? [] : calledPartials(source);
    await store.partials.publish({ ...key, revision: 1, version: 1, calls, changes: [], at });
    pinned.push({ name, version: 1, source });
  }
  return { pinned, faults: [] };
}

const DIFFERS =
  "differs from what the account has: use push, which publishes it with its templates";

function isSame({ name, source }: AuthoredPartial, published: { source: string }): boolean {
  return filedSource({ name, source }) === filedSource({ name, source: published.source });
}
