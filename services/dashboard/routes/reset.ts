import type { FastifyInstance } from "fastify";
import { networkOf } from "@posthaste/http";
import { z } from "zod";
import { PER_ADDRESS, PER_PERSON } from "../attempts.ts";
import { audit } from "../audit.ts";
import { checkPassword, passwordInput } from "../people_input.ts";
import { HttpError } from "../http_error.ts";
import { requirePasswords } from "../sign_in.ts";
import { readInput } from "../read_input.ts";
import { hashToken, newToken } from "../session.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

const RESET_AGE_MS = 3600_000;
const FORGOTTEN = z.object({ email: z.string().trim().toLowerCase().max(254) });
/** The user's id and the secret part. */
const PARAMS = z.object({ token: z.string().regex(/^usr_[0-9a-z]{26}~[\w-]{43}$/) });
const RESET = z.object({ password: passwordInput });

/**
 * Adds the routes for a forgotten password: a link, sent to a verified address, sets a new one. It
 * does not sign in, and leaves a second factor unchanged.
 */
export function resetRoutes(app: FastifyInstance, routing: SignInRouting): void {
  const { deps: { store, now, logger }, options, hasher, attempts, mail } = routing;

  app.post("/api/sign-in/forgotten", { config: { role: "anyone" } }, async ({ ip, body }) => {
    requirePasswords(options);
    const { email } = readInput(FORGOTTEN, body);
    if (mail === undefined) {
      throw new HttpError(
        "conflict",
        "This installation cannot send mail of its own. Ask the operator",
      );
    }
    // Each request counts, even if it fails: it can cause unwanted mail to another person.
    await attempts.begin({
      [`reset to ${email}`]: PER_PERSON,
      [`reset ${networkOf(ip)}`]: PER_ADDRESS,
    });
    // Not awaited: its duration would reveal whether the address has a login.
    void sendLink(email).catch((error: unknown) => {
      logger.warn("Cannot send a password reset link", { error });
    });
    return {};
  });

  async function sendLink(email: string): Promise<void> {
    const user = await store.people.findByProvenEmail(email);
    if (user === null || user.passwordHash === null) return;
    const token = newToken();
    const expiresAt = new Date(now().getTime() + RESET_AGE_MS);
    const reset = { id: hashToken(token), expiresAt };
    if (await store.people.update(user._id, { reset }, { email: user.email }) === null) return;
    const link = new URL(`/reset/${user._id}~${token}`, options.publicUrl).href;
    await mail?.send("reset", { to: user.email, variables: { email: user.email, link } });
  }

  app.post("/api/sign-in/reset/:token", { config: { role: "anyone" } }, async (request) => {
    requirePasswords(options);
    const { token } = readInput(PARAMS, request.params);
    const { password } = readInput(RESET, request.body);
    const [userId = "", secret = ""] = token.split("~");
    const keys = { [`reset by ${networkOf(request.ip)}`]: PER_ADDRESS };
    await attempts.begin(keys);
    const id = hashToken(secret);
    const found = await store.people.find(userId);
    if (found?.reset?.id !== id) throw outdated();
    await checkPassword(password, found.email);
    const passwordHash = await hasher.hash(password);
    const user = await store.people.resetPassword(userId, { id, at: now(), passwordHash });
    if (user === null) throw outdated();
    await attempts.succeed(keys);
    await store.sessions.removeAll(userId);
    for (const { accountId } of await store.people.listMemberships(userId)) {
      const entry = { action: "password.reset", target: user.email };
      await audit({ ...store, now }, { accountId, user }, entry);
    }
    return {};
  });
}

function outdated(): HttpError {
  return new HttpError(
    "not_found",
    "This link was used, or is older than an hour. Request a new one",
  );
}
