import { type Authored, fileOfPartial } from "@posthaste/bundle";
import type { BundleFault, Pinned, PinnedAsset, Template } from "@posthaste/contracts";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import { compilePublished } from "../partials/compile_published.ts";
import type { CheckPrints } from "../templates/judge_source.ts";
import { mapSome } from "../map_some.ts";
import { withoutContents } from "./plan_change.ts";
import type { PlannedPartial } from "./plan_partials.ts";
import type { ReadyChange } from "./plan_change.ts";
import { loadState, publishedSource } from "./template_state.ts";

const CONCURRENCY = 4;

/** Templates beside those of the files that change with partials. */
export interface Republished {
  changes: ReadyChange[];
  faults: BundleFault[];
  warnings: BundleFault[];
}

/**
 * Plans which published templates to publish again, because they have one of the partials to publish, and
 * compiles them.
 *
 * @param isPlanned Whether a template is published or archived anyway.
 */
export async function planRepublished(
  partials: readonly PlannedPartial[],
  { accountId, instead, assets, prints, isPlanned }: {
    accountId: string;
    instead: readonly Pinned[];
    assets: readonly PinnedAsset[];
    prints: CheckPrints;
    isPlanned: (template: Pick<Authored, "kind" | "alias"> | Template) => boolean;
  },
  deps: Pick<DashboardDeps, "store" | "bus">,
): Promise<Republished> {
  const users = new Map<string, { template: Template; files: string[] }>();
  for (const { name } of partials.filter(({ publish }) => publish)) {
    for (const template of await deps.store.partials.listUsers({ accountId, name })) {
      const { files } = users.get(template._id) ?? { files: [] };
      users.set(template._id, { template, files: [...files, fileOfPartial(name)] });
    }
  }
  const others = [...users.values()].filter(({ template }) => !isPlanned(template));
  const planned = await mapSome(CONCURRENCY, others, async ({ template, files }) => {
    const { kind, id, name, publishedVersion: from } = template;
    const alias = template.alias ?? `${id}`;
    const state = await loadState(template, deps.store);
    const source = publishedSource(state);
    if (source === null) throw new Error(`Cannot find version ${from} of "${name}"`);
    const change = {
      ...{ kind, alias, change: "update" as const, from, publish: true, files, state },
      ...{ wanted: { kind, alias, name, source }, replacesDraft: false, draftBase: null },
      overwritesDraft: false,
    };
    try {
      const { compiled, warnings } = await compilePublished(
        template,
        { source, instead, assets, prints },
        deps,
      );
      const warned = warnings.map((message) => ({ file: `${kind}/${alias}`, message }));
      return { change: withoutContents({ ...change, compiled }), faults: [], warnings: warned };
    } catch (error) {
      if (!(error instanceof HttpError) || error.code !== "template_failed") throw error;
      const faults = (error.issues ?? []).map(({ path, message }) => ({ file: path, message }));
      const whole = [{ file: `${kind}/${alias}`, message: error.message }];
      return { change: null, faults: faults.length > 0 ? faults : whole, warnings: [] };
    }
  });
  return {
    changes: planned.flatMap(({ change }) => change === null ? [] : [change]),
    faults: planned.flatMap(({ faults }) => faults),
    warnings: planned.flatMap(({ warnings }) => warnings),
  };
}
