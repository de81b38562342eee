import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { PER_PERSON } from "../attempts.ts";
import { audit } from "../audit.ts";
import { SESSION_COOKIE } from "../guard.ts";
import type { BrowserView } from "../interface/people.ts";
import { checkPassword, nameInput, passwordInput } from "../people_input.ts";
import { Problem } from "../problem.ts";
import { readInput } from "../read_input.ts";
import type { EntranceRouting } from "./people.ts";

const NAME = z.object({ name: nameInput });
const PASSWORD = z.object({ current: passwordInput, password: passwordInput });
const PARAMS = z.object({ sessionId: z.string() });

/** What people do about themselves: name, password, browsers. Each is for all roles. */
export function youRoutes(app: FastifyInstance, routing: EntranceRouting): void {
  const { deps: { store, now }, desk, attempts } = routing;
  const log = { ...store, now };

  app.patch("/api/you", { config: { role: "viewer" } }, async ({ visitor, body }) => {
    const { name } = readInput(NAME, body);
    await store.updateUser(visitor.user._id, { name });
    const details = { from: visitor.user.name, to: name };
    await audit(log, visitor, { action: "person.renamed", target: visitor.user.email, details });
    return {};
  });

  app.put("/api/you/password", { config: { role: "viewer" } }, async ({ visitor, body }) => {
    const { current, password } = readInput(PASSWORD, body);
    const { user, session } = visitor;
    if (user.passwordHash === null) {
      throw new Problem("conflict", "You have no password here: you sign in elsewhere");
    }
    const keys = { [`password ${user._id}`]: PER_PERSON };
    attempts.begin(keys);
    if (!(await desk.verify(current, user.passwordHash)).isRight) {
      const issues = [{ path: "current", message: "is wrong" }];
      throw new Problem("wrong_login", "The password that you have now is wrong", { issues });
    }
    attempts.succeed(keys, { forget: Object.keys(keys) });
    checkPassword(password, user.email);
    await store.updateUser(user._id, { passwordHash: await desk.hash(password) });
    const ended = await store.removeSessions(user._id, { except: session._id });
    await audit(log, visitor, { action: "password.changed", target: user.email });
    return { ended };
  });

  app.get("/api/you/sessions", { config: { role: "viewer" } }, async ({ visitor }) => {
    const { user, session } = visitor;
    const sessions = await store.listSessions(user._id, now());
    return sessions.map(({ _id, userAgent, createdAt, lastSeenAt }): BrowserView => ({
      ...{ id: _id, userAgent, isThis: _id === session._id },
      ...{ createdAt: createdAt.toISOString(), lastSeenAt: lastSeenAt.toISOString() },
    }));
  });

  app.delete("/api/you/sessions/:sessionId", { config: { role: "viewer" } }, async (request) => {
    const { sessionId } = readInput(PARAMS, request.params);
    if (!await store.removeSessionOf(request.visitor.user._id, sessionId)) {
      throw new Problem("not_found", "This browser is signed out already");
    }
    return {};
  });

  app.delete("/api/you/sessions", { config: { role: "viewer" } }, async (request, reply) => {
    const { visitor } = request;
    const ended = await store.removeSessions(visitor.user._id);
    await audit(log, visitor, { action: "sessions.ended", target: visitor.user.email });
    reply.clearCookie(SESSION_COOKIE, { path: "/", secure: true });
    return { ended };
  });
}
