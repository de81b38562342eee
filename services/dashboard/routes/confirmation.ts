import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { checkCurrentPassword } from "../current_password.ts";
import { confirmBy } from "../demo_user.ts";
import { passwordInput } from "../people_input.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

const CONFIRMATION = z.object({ password: passwordInput.default("") });

/**
 * Adds the route that confirms a person's identity by password or click. Users of a provider
 * confirm it there.
 */
export function confirmationRoutes(app: FastifyInstance, routing: SignInRouting): void {
  const { deps: { store, now } } = routing;
  app.post("/api/you/confirmation", { config: { role: "texts" } }, async ({ principal, body }) => {
    const { password } = readInput(CONFIRMATION, body);
    const { user, session } = principal;
    const way = confirmBy(user, routing.options);
    if (way === "provider") throw new HttpError("conflict", "Sign in at your provider again");
    if (way === "password") await checkCurrentPassword(user, password, routing);
    await store.sessions.confirm(session._id, now());
    return {};
  });
}
