import type { Actor } from "./actor.ts";
import { HttpError } from "./http_error.ts";

/**
 * Refuses a program the name of an object that exists: a program that did not get the answer, and repeats the
 * request, would create a second one. People may use a name twice, since they see the list. Concurrent requests
 * may each look before the others write.
 *
 * @param kind What has the name: `valid token`.
 * @throws {HttpError} `name_taken`
 */
export function requireFreeName(
  { token }: Pick<Actor, "token">,
  name: string,
  { kind, others }: { kind: string; others: readonly { name: string }[] },
): void {
  if (token === null || others.every((other) => other.name !== name)) return;
  throw new HttpError("name_taken", `Another ${kind} has this name`, {
    issues: [{ path: "name", message: `is the name of a ${kind}` }],
  });
}
