import type { BundleAssetChange, BundleChange, BundlePartialChange } from "@posthaste/contracts";
import type { Output } from "./output.ts";

type Change = BundleChange & { version?: number | null };

const MARKS = { create: "+", update: "~", archive: "-" } as const;
const COLOURS = { create: "green", update: "cyan", archive: "red" } as const;

/** Returns a table of changes, one line for each template, partial or file: `~ email/welcome subject.hbs`. */
export function changeTable(
  output: Output,
  { changes, partials, assets }: {
    changes: readonly Change[];
    partials: readonly BundlePartialChange[];
    assets: readonly BundleAssetChange[];
  },
): string {
  const kept = assets.map(({ name, change, parts }) => [
    { text: MARKS[change], style: output.styler(COLOURS[change]) },
    `asset/${name}`,
    "stored",
    change === "update" ? parts.join(", ") : "",
  ]);
  const shared = partials.map(({ name, ...partial }) => ({
    ...{ ...partial, kind: "partial" as const, alias: name, files: [] },
    version: partial.publish ? (partial.from ?? 0) + 1 : null,
  }));
  return output.table(
    ["", "TEMPLATE", "OUTCOME", "FILES"],
    [
      ...kept,
      ...[...shared, ...changes].map((change) => [
        { text: MARKS[change.change], style: output.styler(COLOURS[change.change]) },
        `${change.kind}/${change.alias}`,
        describeOutcome(change),
        change.change === "update" ? change.files.join(", ") : "",
      ]),
    ],
  );
}

/** Returns a sentence about the outcome for a template. */
function describeOutcome(
  { change, publish, from, version = null, overwritesDraft }: Omit<Change, "kind">,
): string {
  const lost = overwritesDraft ? ", replaces an unpublished draft" : "";
  if (change === "archive") return `archive${lost}`;
  if (!publish) return `draft${lost}`;
  const published = from === null ? `${version ?? 1}` : `${from} → ${version ?? "new"}`;
  return `version ${published}${lost}`;
}
