import { createHash, timingSafeEqual } from "node:crypto";
import type { User } from "@posthaste/contracts";
import { networkOf } from "@posthaste/http";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { PER_ADDRESS, PER_PERSON } from "../attempts.ts";
import { audit } from "../audit.ts";
import { enter, firstAccountOf } from "../enter.ts";
import type { LoginInput, SetupInput } from "../interface/people.ts";
import { checkPassword, emailInput, nameInput, passwordInput } from "../people_input.ts";
import { Problem } from "../problem.ts";
import { readInput } from "../read_input.ts";
import type { EntranceRouting } from "./people.ts";

const SETUP: z.ZodType<SetupInput> = z.object({
  accountName: nameInput,
  name: nameInput,
  email: emailInput,
  password: passwordInput,
  setupCode: z.string().trim().max(200),
});

// An address that is none gets the same answer as one that nobody has.
const LOGIN: z.ZodType<LoginInput> = z.object({
  email: z.string().trim().toLowerCase().max(254),
  password: passwordInput,
});

/** Entering with a password, and making the first account. */
export function entranceRoutes(app: FastifyInstance, routing: EntranceRouting): void {
  const { deps, options, desk, attempts } = routing;
  const { store } = deps;

  app.post("/api/entrance/setup", { config: { role: "anyone" } }, async (request, reply) => {
    const { accountName, name, email, password, setupCode } = readInput(SETUP, request.body);
    if (await store.hasUsers()) throw alreadySetUp();
    const keys = { [`setup ${networkOf(request.ip)}`]: PER_PERSON };
    attempts.begin(keys);
    if (!isSame(setupCode, options.setupCode)) {
      throw new Problem("wrong_code", "The setup code is wrong: it is in the dashboard's log");
    }
    attempts.succeed(keys);
    checkPassword(password, email);
    const user = { email, name, passwordHash: await desk.hash(password) };
    const entered = await store.setUp({ accountName, user });
    if (entered === null) throw alreadySetUp();
    const accountId = entered.account._id;
    await audit({ ...store, now: deps.now }, { accountId, user: entered.user }, {
      action: "account.created",
      target: `account ${accountName}`,
    });
    await enter({ request, reply }, { userId: entered.user._id, accountId }, routing);
    return {};
  });

  app.post("/api/entrance/login", { config: { role: "anyone" } }, async (request, reply) => {
    const { email, password } = readInput(LOGIN, request.body);
    const network = networkOf(request.ip);
    const person = `login ${network} ${email}`;
    const keys = { [person]: PER_PERSON, [`login ${network}`]: PER_ADDRESS };
    attempts.begin(keys);
    const { user, renewed } = await whoseIs(password, await store.listUsersByEmail(email));
    attempts.succeed(keys, { forget: [person] });
    if (renewed !== undefined) await store.updateUser(user._id, { passwordHash: renewed });
    const accountId = await firstAccountOf(user._id, routing);
    await enter({ request, reply }, { userId: user._id, accountId }, routing);
    return {};
  });

  /** Until an address is proven, several may have it. */
  async function whoseIs(
    password: string,
    users: readonly User[],
  ): Promise<{ user: User; renewed?: string }> {
    const withPassword = users.filter(({ passwordHash }) => passwordHash !== null);
    for (const user of withPassword) {
      const { isRight, renewed } = await desk.verify(password, user.passwordHash);
      if (isRight) return { user, ...(renewed === undefined ? {} : { renewed }) };
    }
    if (withPassword.length === 0) await desk.verify(password, null);
    throw new Problem("wrong_login", "The e-mail address or the password is wrong");
  }
}

function alreadySetUp(): Problem {
  return new Problem("conflict", "The first account has been made already: sign in");
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
