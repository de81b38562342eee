import type { Pinned } from "@posthaste/contracts";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { askRenderer, type Rendering } from "../templates/ask_renderer.ts";
import { aloneSource } from "./alone_source.ts";

const LIMIT_MS = 11_000;

/**
 * Compiles a partial without a template, to find its own faults. Filling it may fail where it has none: there
 * are no values.
 *
 * @throws {HttpError} `no_answer`, `unavailable`
 */
export async function renderAlone(
  name: string,
  { accountId, instead }: { accountId: string; instead: readonly Pinned[] },
  deps: Pick<DashboardDeps, "store" | "bus">,
): Promise<Rendering> {
  const source = aloneSource({ name, source: "" });
  return await askRenderer(
    { accountId, kind: "email", source, instead, timeoutMs: LIMIT_MS },
    deps,
  );
}
