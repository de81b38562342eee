import type { ServiceSummary } from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";
import type { FastifyInstance } from "fastify";
import manifest from "../package.json" with { type: "json" };

/** What the service says of itself beside what it knows of the token. */
export interface ServiceFacts {
  limits: ServiceSummary["limits"];
  /** Where management by token is; undefined if the operator has not said so. */
  manageUrl: string | undefined;
}

/** `GET /v1`: what this service is, whose token was used, and what is allowed. */
export function serviceRoute(app: FastifyInstance, { limits, manageUrl }: ServiceFacts): void {
  app.get("", async ({ caller, ledger }): Promise<ServiceSummary> => {
    const { accountId: id, name, scopes, expiresAt } = caller;
    const account = await ledger.findAccount(id);
    // Accounts stay as long as their tokens do.
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
