import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Routing } from "../routing.ts";
import { OVERVIEW_RANGES, type OverviewView } from "../interface/overview.ts";
import { overviewOf } from "../overview.ts";
import { readInput } from "../read_input.ts";

const querySchema = z.object({ range: z.enum(OVERVIEW_RANGES).default("24h") });

/** How long an overview is reused for all callers, in milliseconds. */
const FRESH_MS = 2000;

/** Adds the route of an account's overview. */
export function overviewRoutes(app: FastifyInstance, { deps }: Routing): void {
  const known = new Map<string, { at: number; view: Promise<OverviewView> }>();

  app.get("/api/overview", { config: { role: "viewer" } }, ({ principal, query }) => {
    const { range } = readInput(querySchema, query);
    const key = `${principal.accountId}/${range}`;
    const at = deps.now().getTime();
    const last = known.get(key);
    if (last !== undefined && at - last.at < FRESH_MS) return last.view;
    for (const [other, { at: then }] of known) if (at - then >= FRESH_MS) known.delete(other);
    const view = overviewOf(principal.accountId, range, deps);
    known.set(key, { at, view });
    return view;
  });
}
