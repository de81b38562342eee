import { sendDataHeaders } from "@posthaste/http";
import type { FastifyInstance, RouteOptions } from "fastify";
import type { DashboardOptions } from "./dashboard_options.ts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import { HttpError } from "./http_error.ts";
import { manageDocumentRoute } from "./routes/manage_document.ts";
import { guardTokens } from "./token_guard.ts";

/** Path prefix of the routes for programs with a token. */
export const MANAGE_PATH = "/manage/v1";

/** A route that programs may use, too: its path without the prefix for people or programs. */
export type ManageableRoute = Pick<RouteOptions, "method" | "url" | "handler" | "bodyLimit"> & {
  config: Pick<NonNullable<RouteOptions["config"]>, "scopes" | "isHeavy" | "takesFiles">;
};

/** Collects the routes below `/api` that name the scopes of a token. */
export function collectManageable(): {
  routes: ManageableRoute[];
  note(route: RouteOptions): void;
} {
  const routes: ManageableRoute[] = [];
  return {
    routes,
    note({ method, url, handler, bodyLimit, config }) {
      if (config?.scopes === undefined || method === "HEAD") return;
      const { scopes, isHeavy = false, takesFiles = false } = config;
      routes.push({
        ...{ method, handler, url: url.replace(/^\/api/, "") },
        config: { scopes, isHeavy, takesFiles },
        ...(bodyLimit === undefined ? {} : { bodyLimit }),
      });
    },
  };
}

/**
 * Mounts routes for tokens that are mounted for browsers already: the same handlers behind another
 * guard. Routes without scopes are left out.
 */
export function mountForTokens(
  app: FastifyInstance,
  routes: readonly ManageableRoute[],
  { deps, options }: { deps: DashboardDeps; options: DashboardOptions },
): void {
  sendDataHeaders(app);
  guardTokens(app, deps, options.limits);
  for (const route of routes) app.route(route);
  manageDocumentRoute(app);
  // Any token may learn that a route does not exist.
  app.all("/*", { config: { scopes: [] } }, () => {
    throw new HttpError("not_found", "Cannot find the path: programs have no such route here");
  });
}
