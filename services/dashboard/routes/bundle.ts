import {
  type Bundle,
  type BundleApplied,
  bundleApplySchema,
  type BundlePlan,
  bundleQuerySchema,
  bundleWishSchema,
  MAX_BUNDLE_BODY_BYTES,
} from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import type { Routing } from "../routing.ts";
import { applyBundle } from "../bundle/apply_bundle.ts";
import { exportBundle } from "../bundle/export_bundle.ts";
import { planBundle, shownChange } from "../bundle/plan_bundle.ts";
import { shownAsset } from "../bundle/plan_assets.ts";
import { shownPartial } from "../bundle/plan_partials.ts";
import { QUOTAS } from "../quotas.ts";
import { readInput } from "../read_input.ts";

const scopes = ["manage:templates"] as const;
const READ = { config: { role: "viewer", scopes, isHeavy: true } } as const;
const WRITE = {
  config: { role: "editor", scopes, isHeavy: true },
  bodyLimit: MAX_BUNDLE_BODY_BYTES,
} as const;

/** Adds the routes of templates as files: export and push of an account's templates. */
export function bundleRoutes(app: FastifyInstance, { deps, options, uploads }: Routing): void {
  const { templates: maxTemplates, assetBytes: maxAssetBytes } = options.quotas ?? QUOTAS;
  const planning = { ...deps, maxTemplates, maxAssetBytes };

  app.get(
    "/api/bundle",
    READ,
    async ({ actor, query }): Promise<Bundle> =>
      await exportBundle(actor, readInput(bundleQuerySchema, query), deps.store),
  );

  app.post("/api/bundle/plan", WRITE, async ({ actor, body }): Promise<BundlePlan> => {
    const wish = readInput(bundleWishSchema, body);
    const prepared = await planBundle(actor, wish, planning);
    const { plan, changes, partials, assets, faults, warnings } = prepared;
    return {
      ...{ plan, faults, warnings },
      changes: changes.map(shownChange),
      partials: partials.map(shownPartial),
      assets: assets.map(shownAsset),
    };
  });

  app.post("/api/bundle/apply", WRITE, async ({ actor, body }): Promise<BundleApplied> => {
    const { plan, overwriteDrafts, contents, ...wish } = readInput(bundleApplySchema, body);
    const prepared = await planBundle(actor, wish, planning);
    const application = { prepared, plan, overwriteDrafts, contents };
    return await applyBundle(actor, application, { ...deps, uploads });
  });
}
