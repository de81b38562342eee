import { ENDPOINTS, openApiDocument } from "@posthaste/contracts";
import { readNetworks } from "@posthaste/egress";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { HttpError } from "../http_error.ts";
import type { ApiPageView, ApiTrialAnswer } from "../interface/api_page.ts";
import { readInput } from "../read_input.ts";
import type { Routing } from "../routing.ts";
import { tryRequest } from "../try_request.ts";

const MAX_BODY_BYTES = 1_000_000;

const TRIAL = z.strictObject({
  method: z.enum(ENDPOINTS.map(({ method }) => method)),
  path: z.string().max(4000).startsWith("/v1"),
  token: z.string().regex(/^[\x21-\x7e]{1,256}$/, { error: "must be an access token" }),
  body: z.string().max(MAX_BODY_BYTES).optional(),
  idempotencyKey: z.string().regex(/^[\x21-\x7e]{1,255}$/).optional(),
});

/** Adds the routes of the page that shows the interface for programs, and tries its requests. */
export function apiPageRoutes(app: FastifyInstance, { deps, options }: Routing): void {
  const { store } = deps;
  const { apiUrl, tryUrl } = options;

  app.get("/api/interface", { config: { role: "viewer" } }, (): ApiPageView => ({
    ...{ document: openApiDocument(), apiUrl, canTry: tryUrl !== undefined },
  }));

  app.post(
    "/api/interface/try",
    { config: { role: "viewer" }, bodyLimit: 2 * MAX_BODY_BYTES },
    async ({ principal, body, ip }): Promise<ApiTrialAnswer> => {
      if (tryUrl === undefined) {
        throw new HttpError("unavailable", "The operator has not set TRY_API_URL");
      }
      const trial = readInput(TRIAL, body);
      const token = await store.tokens.find(trial.token);
      if (token?.accountId !== principal.accountId) {
        throw refused("is unknown, expired, revoked or of another account");
      }
      // The interface sees the address of this process.
      if (token.addresses.length > 0 && !readNetworks(token.addresses).has(ip)) {
        throw refused("is not for your address");
      }
      return await tryRequest(trial, { baseUrl: tryUrl, ip });
    },
  );
}

function refused(message: string): HttpError {
  const issues = [{ path: "token", message }];
  return new HttpError("invalid_request", "The token does not work here", { issues });
}
