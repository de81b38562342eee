import type { DraftSource, Pinned, PinnedAsset, Template } from "@posthaste/contracts";
import type { LintFinding } from "@posthaste/templating";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import { askRenderer, type CompiledParts } from "../templates/ask_renderer.ts";
import type { CheckPrints } from "../templates/judge_source.ts";
import { compiledBy, requirePublishable } from "../templates/publish_draft.ts";

const LIMIT_MS = 11_000;

/**
 * Compiles the published source of a template with partials and files that are about to be stored. Returns
 * warnings about what could not be checked.
 *
 * @throws {HttpError} `template_failed` if it does not work with them, if one of these partials breaks a rule, if
 * images are missing then, or if messages with its PDF fail; other rules judged the template before. `no_answer`,
 * `unavailable`
 */
export async function compilePublished(
  { accountId, kind, id }: Pick<Template, "accountId" | "kind" | "id">,
  { source, instead, assets = [], prints }: {
    source: DraftSource;
    instead: readonly Pinned[];
    assets?: readonly PinnedAsset[];
    prints: CheckPrints;
  },
  deps: Pick<DashboardDeps, "store" | "bus">,
): Promise<{ compiled: CompiledParts; warnings: string[] }> {
  const given = { accountId, kind, source, instead, assets };
  const wish = { ...given, compiled: true, timeoutMs: LIMIT_MS };
  const rendering = await askRenderer(wish, deps);
  const place = `${kind}/${id}`;
  try {
    const isJudged = ({ rule, partial }: Pick<LintFinding, "rule" | "partial">) =>
      instead.some(({ name }) => name === partial) ||
      /asset|^pdf_(blocked|unprintable|glyphs_fail)$/.test(rule);
    const rendered = { accountId, kind, source, rendering };
    const warnings = await requirePublishable(rendered, { bus: deps.bus, prints, isJudged });
    return {
      compiled: compiledBy(rendering),
      warnings: warnings.map((warning) => `${place}: ${warning}`),
    };
  } catch (error) {
    if (!(error instanceof HttpError) || error.code !== "template_failed") throw error;
    const issues = (error.issues ?? []).map(({ path, message }) => ({
      path: `${place}:${path}`,
      message,
    }));
    const message = `Cannot publish: ${place} does not work with it: ${error.message}`;
    throw new HttpError("template_failed", message, { issues });
  }
}
