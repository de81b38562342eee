import { needingNoBody, networkOf, readOnlyJson } from "@posthaste/http";
import { type Full, openSemaphore, type Permit, type SemaphoreOptions } from "@posthaste/limits";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpError } from "./http_error.ts";
import { MANAGE_ENDPOINTS } from "./manage/manage_document.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Covers the bytes of the body so far. */
    bodyPermit: Permit | undefined;
  }
}

const RETRY_AFTER_S = 2;

/**
 * Makes an app read bodies as JSON, or as files where a route takes them, within the memory limit of one account, or of one network
 * before sign-in.
 */
export function countBodies(app: FastifyInstance, options: SemaphoreOptions): void {
  const bodies = openSemaphore(options);
  app.decorateRequest("bodyPermit", undefined);
  readOnlyJson(app, {
    mayLackBody: needingNoBody(MANAGE_ENDPOINTS),
    takesFiles: ({ routeOptions }) => routeOptions.config.takesFiles === true,
    take(request, bytes) {
      request.bodyPermit ??= bodies.tryAcquire(ownerOf(request), 0);
      const full = request.bodyPermit?.grow(bytes);
      if (full !== undefined) throw tooMuch(full);
    },
  });
  app.addHook("onRequest", (request, reply, done) => {
    // Also if the browser disconnects before the answer.
    reply.raw.once("close", () => request.bodyPermit?.[Symbol.dispose]());
    done();
  });
}

function ownerOf({ actor, ip }: FastifyRequest): string {
  return actor?.accountId ?? networkOf(ip);
}

function tooMuch(full: Full): HttpError {
  const code = full === "all" ? "unavailable" : "too_many_requests";
  return new HttpError(code, "Cannot read the request: the server is busy. Retry soon", {
    retryAfter: RETRY_AFTER_S,
  });
}
