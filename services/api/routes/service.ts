import type { ServiceSummary } from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";
import type { FastifyInstance } from "fastify";
import manifest from "../package.json" with { type: "json" };

/** What the service reports about itself, apart from the token. */
export interface ServiceOptions {
  limits: ServiceSummary["limits"];
  /** Address of management by token; undefined if the operator has not set it. */
  manageUrl: string | undefined;
}

/** Adds `GET /v1`: shows the service's version and limits, and the account and scopes of the token. */
export function serviceRoute(app: FastifyInstance, { limits, manageUrl }: ServiceOptions): void {
  app.get("", async ({ caller, store }): Promise<ServiceSummary> => {
    const { accountId: id, name, scopes, expiresAt } = caller;
    const account = await store.findAccount(id);
    // Accounts exist as long as their tokens do.
    if (account === null) {
      throw new HttpError("unavailable", "Cannot find the account of the token");
    }
    return {
      service: "posthaste",
      version: manifest.version,
      account: { id, name: account.name },
      token: { name, scopes, expiresAt: expiresAt?.toISOString() ?? null },
      limits,
      links: {
        openapi: "/v1/openapi.json",
        ...(manageUrl === undefined ? {} : { manage: manageUrl }),
      },
    };
  });
}
