import assert from "node:assert/strict";
import {
  codesByStatus,
  type Endpoint,
  ENDPOINTS,
  errorBodySchema,
  V1_FORM,
} from "@posthaste/contracts";
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
      const fault = faultOf(endpoint, {
        ...{ status: reply.statusCode, type: String(reply.getHeader("content-type")), payload },
      });
      if (fault !== undefined) faults.push(`${method} ${path}: ${fault}`);
    }
    return payload;
  });
  return faults;
}

interface Sent {
  status: number;
  type: string;
  payload: unknown;
}

function faultOf(endpoint: Endpoint, { status, type, payload }: Sent): string | undefined {
  if (status === 304) return endpoint.revalidates ? undefined : "304 is not in the list";
  const { mediaType = "application/json", answer } = endpoint;
  const expected = status === 200 ? mediaType : "application/json";
  if (expected !== "*/*" && type.split(";")[0] !== expected) return `${status} with ${type}`;
  if (status === 200) {
    const value = expected.endsWith("json") ? JSON.parse(String(payload)) : payload;
    return answer.safeParse(value).error?.message;
  }
  const body = JSON.parse(String(payload));
  const allowed = codesByStatus(endpoint, V1_FORM).get(status) ?? [];
  if (status === 401) {
    return body.error === "Unauthenticated" ? undefined : "401 with another body";
  }
  const { data, error } = errorBodySchema.safeParse(body);
  if (error !== undefined) return error.message;
  return allowed.includes(data.code) ? undefined : `${status} ${data.code} is not in the list`;
}

/** Fails if an answer differed from the list of endpoints. */
export function assertAnswers(faults: readonly string[]): void {
  assert.deepEqual(faults, [], "answers are not as ENDPOINTS says");
}
