import { type Agent, request } from "node:http";

/** A request to make. */
export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  agent: Agent;
}

/** Posts JSON and returns any status, and the seconds until a retry. */
export function postJson(
  { url, headers, body, agent }: Post,
): Promise<{ status: number; retryAfter: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<
    { status: number; retryAfter: number }
  >();
  const length = Buffer.byteLength(body);
  request(url, {
    method: "POST",
    agent,
    headers: { ...headers, "content-type": "application/json", "content-length": length },
  }, (response) => {
    response.resume().on("error", reject).on("end", () => {
      const retryAfter = Number(response.headers["retry-after"] ?? 1);
      resolve({ status: response.statusCode ?? 0, retryAfter });
    });
  }).on("error", reject).end(body);
  return promise;
}
