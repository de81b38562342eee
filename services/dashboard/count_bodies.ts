import { networkOf, readOnlyJson, Refusal } from "@posthaste/http";
import { type HolderBudgetOptions, openHolderBudget } from "@posthaste/limits";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyRequest {
    /** Bytes of its body so far. */
    bodyBytes: number;
  }
}

const RETRY_AFTER_S = 2;

/**
 * Has an app read bodies as JSON, within what there is for them: of each account, and of each network
 * that nobody has signed in from.
 */
export function countBodies(app: FastifyInstance, options: HolderBudgetOptions): void {
  const budget = openHolderBudget(options);
  app.decorateRequest("bodyBytes", 0);
  readOnlyJson(app, {
    take(request, bytes) {
      const full = budget.take(bytes, { holder: holderOf(request), held: request.bodyBytes });
      if (full !== undefined) throw tooMuch(full);
      request.bodyBytes += bytes;
    },
  });
  app.addHook("onRequest", (request, reply, done) => {
    // Also where the browser goes away before there is an answer.
    reply.raw.once("close", () => {
      budget.free({ holder: holderOf(request), held: request.bodyBytes });
    });
    done();
  });
}

function holderOf({ visitor, ip }: FastifyRequest): string {
  return visitor?.accountId ?? networkOf(ip);
}

function tooMuch(full: "all" | "holder"): Refusal {
  const code = full === "all" ? "unavailable" : "too_many_requests";
  return new Refusal(code, "Cannot read the request: too much is under way", {
    retryAfter: RETRY_AFTER_S,
  });
}
