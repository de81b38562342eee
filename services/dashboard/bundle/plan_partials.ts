import { type AuthoredPartial, filedSource, fileOfPartial } from "@posthaste/bundle";
import {
  BRAND,
  type BundleFault,
  type BundlePartialChange,
  MAX_PARTIALS,
  type Pinned,
  type StoredPartial,
} from "@posthaste/contracts";
import type { PartialChange } from "@posthaste/storage";
import { calledPartials } from "@posthaste/templating";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { renderAlone } from "../partials/render_alone.ts";
import { requireQuota } from "../quotas.ts";
import { mapSome } from "../map_some.ts";

/** The planned change of one partial. */
export interface PlannedPartial extends BundlePartialChange {
  source: string;
  /** Of the draft as it is; 0 for a new partial. */
  revision: number;
}

const CONCURRENCY = 4;

/** Plans the changes of partials; those that stay as they are are left out. */
export async function planPartials(
  wanted: readonly AuthoredPartial[],
  { accountId, publish }: { accountId: string; publish: boolean },
  { store }: Pick<DashboardDeps, "store">,
): Promise<PlannedPartial[]> {
  const states = await mapSome(
    CONCURRENCY,
    wanted,
    ({ name }) => store.partials.find({ accountId, name }),
  );
  const planned = wanted.flatMap((one, index) => {
    const change = planPartial(one, states[index] ?? null, { publish });
    return change === null ? [] : [change];
  });
  const added = planned.filter(({ change }) => change === "create").length;
  if (added > 0) {
    const { length } = await store.partials.list(accountId);
    const full = `The account may have ${MAX_PARTIALS} partials. Remove some first`;
    requireQuota(length + added - 1, MAX_PARTIALS, full);
  }
  return planned;
}

/** Plans the change of one partial, by the rules for templates (`planChange()`). */
function planPartial(
  { name, source }: Pick<AuthoredPartial, "name" | "source">,
  state: Pick<StoredPartial, "draft" | "published"> | null,
  { publish }: { publish: boolean },
): PlannedPartial | null {
  const common = { name, source, overwritesDraft: false };
  if (state === null) return { ...common, change: "create", from: null, publish, revision: 0 };
  const { draft, published } = state;
  const isSame = (one: { source: string } | null) =>
    one !== null && filedSource({ name, source: one.source }) === filedSource({ name, source });
  const isChanged = published?.revision !== draft.revision;
  const isInHand = isChanged && draft.updatedBy !== null;
  const from = published?.version ?? null;
  const update = { ...common, change: "update", from, revision: draft.revision } as const;
  const isLive = isSame(published);
  if (isLive && (isInHand || isSame(draft))) return null;
  if (!publish && isSame(draft)) return null;
  return { ...update, publish: publish && !isLive, overwritesDraft: isInHand && !isSame(draft) };
}

/** Returns a partial as it will be, for compiling templates with it. */
export function pinnedOf({ name, source, from, publish }: PlannedPartial): Pinned {
  return { name, source, version: publish ? (from ?? 0) + 1 : from ?? 1 };
}

/** Finds the faults of partials by themselves. */
export async function partialFaults(
  planned: readonly PlannedPartial[],
  { accountId, instead }: { accountId: string; instead: readonly Pinned[] },
  deps: Pick<DashboardDeps, "store" | "bus">,
): Promise<BundleFault[]> {
  const partials = planned.filter(({ name }) => name !== BRAND);
  const found = await mapSome(CONCURRENCY, partials, async ({ name }) => {
    const rendering = await renderAlone(name, { accountId, instead }, deps);
    if (rendering.ok) return [];
    return rendering.errors.map(({ line, column, partial = name, message }) => ({
      ...{ file: fileOfPartial(partial), line, column, message },
    }));
  });
  const byText = new Map(found.flat().map((fault) => [JSON.stringify(fault), fault]));
  return [...byText.values()];
}

/** Returns the part of a change that callers see. */
export function shownPartial(
  { name, change, from, publish, overwritesDraft }: PlannedPartial,
): BundlePartialChange {
  return { name, change, from, publish, overwritesDraft };
}

/** Returns what the store changes. */
export function storedChange(planned: PlannedPartial): PartialChange {
  const { name, source, revision, publish } = planned;
  const calls = name === BRAND ? [] : calledPartials(source);
  const { version } = pinnedOf(planned);
  return { name, source, revision, ...(publish ? { publish: { version, calls } } : {}) };
}
