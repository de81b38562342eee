import { NameTakenError } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { PER_PERSON } from "../attempts.ts";
import { audit } from "../audit.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { hashToken, newToken } from "../session.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

const PROOF_AGE_MS = 3600_000;
const PARAMS = z.object({ token: z.string().max(100) });

/**
 * Adds the routes that verify an address by a link sent to it. The link works only for the
 * signed-in user who requested it: if a stranger made a login with a foreign address, the address's
 * owner cannot verify it for them by accident.
 */
export function proofRoutes(app: FastifyInstance, routing: SignInRouting): void {
  const { deps: { store, now }, options, attempts, mail } = routing;

  app.post("/api/you/proof", { config: { role: "texts" } }, async ({ principal: { user } }) => {
    if (user.emailProvenAt !== null) {
      throw new HttpError("conflict", "Your address is already verified");
    }
    if (mail === undefined) {
      throw new HttpError(
        "conflict",
        "This installation cannot send mail of its own. Ask the operator",
      );
    }
    // Each request counts, even if it fails: it can cause unwanted mail to another person.
    await attempts.begin({
      [`proof ${user._id}`]: PER_PERSON,
      [`proof to ${user.email}`]: PER_PERSON,
    });
    const token = newToken();
    const expiresAt = new Date(now().getTime() + PROOF_AGE_MS);
    const proof = { id: hashToken(token), expiresAt };
    // The link must not verify an address that it was not sent to.
    if (await store.people.update(user._id, { proof }, { email: user.email }) === null) {
      throw new HttpError("conflict", "Your address was changed meanwhile. Try again");
    }
    const link = new URL(`/proof/${token}`, options.publicUrl).href;
    await mail.send("proof", { to: user.email, variables: { email: user.email, link } });
    return {};
  });

  app.post("/api/you/proof/:token", { config: { role: "texts" } }, async (request) => {
    const { token } = readInput(PARAMS, request.params);
    const { principal } = request;
    const proven = await store.people.proveEmail(principal.user._id, hashToken(token), now())
      .catch((error: unknown) => {
        if (!(error instanceof NameTakenError)) throw error;
        throw new HttpError("conflict", "You have another login with this address. Use that one");
      });
    if (proven === null) {
      throw new HttpError(
        "not_found",
        "This link belongs to another login, was used, or is older than an hour. Request a new one",
      );
    }
    const entry = { action: "person.address_proven", target: proven.email };
    for (const { accountId } of await store.people.listMemberships(proven._id)) {
      await audit({ ...store, now }, { accountId, user: proven }, entry);
    }
    return {};
  });
}
