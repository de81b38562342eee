import assert from "node:assert/strict";
import { ENDPOINTS, V1_FORM } from "@posthaste/contracts";
import { answerFault } from "@posthaste/kit";
import type { FastifyInstance } from "fastify";

/**
 * Checks every later answer of an app against the list of endpoints. Returns the list of faults,
 * which grows as answers come; a test fails if it is not empty at the end.
 */
export function checkAnswers(app: FastifyInstance): string[] {
  const faults: string[] = [];
  app.addHook("onSend", async ({ method, routeOptions: { url } }, reply, payload) => {
    const path = url?.replaceAll(/:(\w+)/g, "{$1}");
    const endpoint = ENDPOINTS.find((each) => each.method === method && each.path === path);
    if (endpoint !== undefined) {
      const fault = answerFault(endpoint, V1_FORM, {
        ...{ status: reply.statusCode, type: String(reply.getHeader("content-type")), payload },
      });
      if (fault !== undefined) faults.push(`${method} ${path}: ${fault}`);
    }
    return payload;
  });
  return faults;
}

/** Fails if an answer differed from the list of endpoints. */
export function assertAnswers(faults: readonly string[]): void {
  assert.deepEqual(faults, [], "answers are not as ENDPOINTS says");
}
