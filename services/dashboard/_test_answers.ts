import { answerFault } from "@posthaste/kit";
import type { FastifyInstance } from "fastify";
import type { ManageEndpoint } from "./manage/endpoint.ts";
import { MANAGE_ENDPOINTS, MANAGE_FORM } from "./manage/manage_document.ts";
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
    const fault = endpoint === undefined
      ? "it is not in the list"
      : answerFault(endpoint, MANAGE_FORM, {
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
