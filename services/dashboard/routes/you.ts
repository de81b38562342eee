import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { audit } from "../audit.ts";
import { checkCurrentPassword } from "../current_password.ts";
import { SESSION_COOKIE } from "../guard.ts";
import type { BrowserView } from "../interface/people.ts";
import { checkPassword, emailInput, nameInput, passwordInput } from "../people_input.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

const NAME = z.object({ name: nameInput });
const PASSWORD = z.object({ current: passwordInput, password: passwordInput });
const EMAIL = z.object({ current: passwordInput, email: emailInput });
const REMOVAL = z.object({ current: passwordInput.default("") });
const PARAMS = z.object({ sessionId: z.string() });

/**
 * Adds the routes of the user's own data: name, address, password, browsers, leaving. All roles may
 * use them.
 */
export function youRoutes(app: FastifyInstance, routing: SignInRouting): void {
  const { deps: { store, now }, hasher } = routing;
  const log = { ...store, now };

  app.patch("/api/you", { config: { role: "texts" } }, async ({ principal, body }) => {
    const { name } = readInput(NAME, body);
    await store.people.update(principal.user._id, { name });
    const details = { from: principal.user.name, to: name };
    await audit(log, principal, {
      action: "person.renamed",
      target: principal.user.email,
      details,
    });
    return {};
  });

  app.put("/api/you/password", { config: { role: "texts" } }, async ({ principal, body }) => {
    const { current, password } = readInput(PASSWORD, body);
    const { user, session } = principal;
    await checkCurrentPassword(user, current, routing, "current");
    await checkPassword(password, user.email);
    // A link in a mailbox that others read must not undo the change.
    const changes = { passwordHash: await hasher.hash(password), reset: null };
    await store.people.update(user._id, changes);
    const ended = await store.sessions.removeAll(user._id, { except: session._id });
    await audit(log, principal, { action: "password.changed", target: user.email });
    return { ended };
  });

  app.put("/api/you/email", { config: { role: "texts" } }, async ({ principal, body }) => {
    const { current, email } = readInput(EMAIL, body);
    const { user, session } = principal;
    await checkCurrentPassword(user, current, routing, "current");
    if (email === user.email) return { ended: 0 };
    await store.people.update(user._id, { email, emailProvenAt: null, proof: null, reset: null });
    const ended = await store.sessions.removeAll(user._id, { except: session._id });
    const details = { from: user.email, to: email };
    const entry = { action: "person.address_changed", target: user.name, details };
    for (const { accountId } of await store.people.listMemberships(user._id)) {
      await audit(log, { accountId, user: { ...user, email } }, entry);
    }
    return { ended };
  });

  app.delete("/api/you/membership", { config: { role: "texts" } }, async ({ principal }) => {
    const { accountId, user } = principal;
    if (await store.people.removeMember(accountId, user._id) === "last_owner") {
      throw new HttpError(
        "conflict",
        "An account needs an owner. Make someone else an owner first",
      );
    }
    await audit(log, principal, { action: "member.left", target: user.email });
    return {};
  });

  // A POST, because not every proxy passes on a body with DELETE.
  app.post(
    "/api/you/removal",
    { config: { role: "texts" } },
    async ({ principal, body }, reply) => {
      const { current } = readInput(REMOVAL, body);
      const { user } = principal;
      if (user.passwordHash !== null) await checkCurrentPassword(user, current, routing, "current");
      const accounts = (await store.people.listMemberships(user._id)).map(({ accountId }) =>
        accountId
      );
      const { ownerless } = await store.people.remove(user._id);
      if (ownerless.length > 0) throw await stillNeeded(ownerless);
      for (const accountId of accounts) {
        await audit(log, { accountId, user }, { action: "person.removed", target: user.email });
      }
      reply.clearCookie(SESSION_COOKIE, { path: "/", secure: true });
      return {};
    },
  );

  async function stillNeeded(accountIds: string[]): Promise<HttpError> {
    const found = await Promise.all(accountIds.map((id) => store.accounts.find(id)));
    const names = found.flatMap((account) => account === null ? [] : [`"${account.name}"`]);
    return new HttpError(
      "conflict",
      `You are the only owner of ${names.join(", ")}. Make someone else an owner first`,
    );
  }

  app.get("/api/you/sessions", { config: { role: "texts" } }, async ({ principal }) => {
    const { user, session } = principal;
    const sessions = await store.sessions.list(user._id, now());
    return sessions.map(({ _id, userAgent, createdAt, lastSeenAt }): BrowserView => ({
      ...{ id: _id, userAgent, isThis: _id === session._id },
      ...{ createdAt: createdAt.toISOString(), lastSeenAt: lastSeenAt.toISOString() },
    }));
  });

  app.delete("/api/you/sessions/:sessionId", { config: { role: "texts" } }, async (request) => {
    const { sessionId } = readInput(PARAMS, request.params);
    if (!await store.sessions.removeOf(request.principal.user._id, sessionId)) {
      throw new HttpError("not_found", "This browser is already signed out");
    }
    return {};
  });

  app.delete("/api/you/sessions", { config: { role: "texts" } }, async (request, reply) => {
    const { principal } = request;
    const ended = await store.sessions.removeAll(principal.user._id);
    await audit(log, principal, { action: "sessions.ended", target: principal.user.email });
    reply.clearCookie(SESSION_COOKIE, { path: "/", secure: true });
    return { ended };
  });
}
