import { codesByStatus } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import type { ManageEndpoint } from "./manage/endpoint.ts";
import { MANAGE_ENDPOINTS, MANAGE_FORM, manageErrorSchema } from "./manage/manage_document.ts";
import { MANAGE_PATH } from "./token_mount.ts";

/**
 * Checks every later answer below `/manage/v1` against the list of endpoints. Returns the list of
 * faults, which grows as answers come.
 */
export function checkAnswers(app: FastifyInstance): string[] {
  const faults: string[] = [];
  app.addHook("onSend", async ({ method, routeOptions: { url = "" } }, reply, payload) => {
    if (!url.startsWith(MANAGE_PATH) || url.endsWith("*") || method === "HEAD") return payload;
    const endpoint = endpointOf(method, url);
    const fault = endpoint === undefined ? "it is not in the list" : faultOf(endpoint, {
      ...{ status: reply.statusCode, type: String(reply.getHeader("content-type")), payload },
    });
    if (fault !== undefined) faults.push(`${method} ${url}: ${fault}`);
    return payload;
  });
  return faults;
}

/** Returns the endpoint of a route. Both kinds of templates share theirs. */
function endpointOf(method: string, url: string): ManageEndpoint | undefined {
  const path = url.replaceAll(/:(\w+)/g, "{$1}");
  const paths = [path, path.replace(/(?<=\/templates\/)(email|pdf)/, "{kind}")];
  return MANAGE_ENDPOINTS.find((each) => each.method === method && paths.includes(each.path));
}

interface Sent {
  status: number;
  type: string;
  payload: unknown;
}

function faultOf(endpoint: ManageEndpoint, { status, type, payload }: Sent): string | undefined {
  if (status === 304) return endpoint.revalidates ? undefined : "304 is not in the list";
  const { mediaType = "application/json", answer } = endpoint;
  const expected = status === 200 ? mediaType : "application/json";
  if (expected !== "*/*" && type.split(";")[0] !== expected) return `${status} with ${type}`;
  if (status === 200) {
    const value = expected === "application/json" ? JSON.parse(String(payload)) : payload;
    return answer.safeParse(value).error?.message;
  }
  const body = JSON.parse(String(payload));
  if (status === 401) {
    return body.error === "Unauthenticated" ? undefined : "401 with another body";
  }
  const { data, error } = manageErrorSchema.safeParse(body);
  if (error !== undefined) return error.message;
  const allowed = codesByStatus(endpoint, MANAGE_FORM).get(status) ?? [];
  return allowed.includes(data.code) ? undefined : `${status} ${data.code} is not in the list`;
}
