import { hash, timingSafeEqual } from "node:crypto";
import type { Session, User } from "@posthaste/contracts";
import { networkOf } from "@posthaste/http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { PER_ADDRESS, PER_PERSON, PER_PERSON_ANYWHERE } from "../attempts.ts";
import { audit } from "../audit.ts";
import { firstAccountOf, noteRefusedSignIn, requirePasswords, signIn } from "../sign_in.ts";
import { SESSION_COOKIE } from "../guard.ts";
import type { LoginInput, LoginView, SecondFactorProof, SetupInput } from "../interface/people.ts";
import { checkPassword, emailInput, nameInput, passwordInput } from "../people_input.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { hasSecondFactor } from "../second_factor.ts";
import { hashToken } from "../session.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

const SETUP: z.ZodType<SetupInput> = z.object({
  accountName: nameInput,
  name: nameInput,
  email: emailInput,
  password: passwordInput,
  setupCode: z.string().trim().max(200),
});

// An invalid address gets the same answer as an unknown one.
const LOGIN: z.ZodType<LoginInput> = z.object({
  email: z.string().trim().toLowerCase().max(254),
  password: passwordInput,
});

const SECOND: z.ZodType<SecondFactorProof> = z.discriminatedUnion("by", [
  z.object({ by: z.literal("app"), code: z.string().max(20) }),
  z.object({ by: z.literal("recovery"), code: z.string().max(40) }),
  z.object({ by: z.literal("passkey"), response: z.looseObject({ id: z.string() }) }),
]);

const WRONG_PROOF: Record<SecondFactorProof["by"], string> = {
  app: "The code is wrong or was already used. Wait for the next code",
  recovery: "The recovery code is wrong or was already used",
  passkey: "The passkey was not accepted. Try again",
};

/** Adds the routes for sign-in with a password, and for the first account. */
export function signInRoutes(app: FastifyInstance, routing: SignInRouting): void {
  const { deps, options, hasher, attempts, secondFactors } = routing;
  const { store } = deps;

  app.post("/api/sign-in/setup", { config: { role: "anyone" } }, async (request, reply) => {
    const { accountName, name, email, password, setupCode } = readInput(SETUP, request.body);
    if (await store.people.hasAny()) throw alreadySetUp();
    const keys = { [`setup ${networkOf(request.ip)}`]: PER_PERSON };
    await attempts.begin(keys);
    if (!isSame(setupCode, options.setupCode)) {
      throw new HttpError("wrong_code", "The setup code is wrong. Find it in the dashboard's log");
    }
    await attempts.succeed(keys);
    await checkPassword(password, email);
    const user = { email, name, passwordHash: await hasher.hash(password) };
    const first = await store.people.setUp({ accountName, user });
    if (first === null) throw alreadySetUp();
    const accountId = first.account._id;
    await audit({ ...store, now: deps.now }, { accountId, user: first.user }, {
      action: "account.created",
      target: `account ${accountName}`,
    });
    await signIn({ request, reply }, { userId: first.user._id, accountId }, routing);
    return {};
  });

  app.post("/api/sign-in/login", { config: { role: "anyone" } }, async (request, reply) => {
    requirePasswords(options);
    const { email, password } = readInput(LOGIN, request.body);
    const network = networkOf(request.ip);
    const person = `login ${network} ${email}`;
    const anywhere = `login ${email}`;
    const keys = {
      ...{ [person]: PER_PERSON, [`login ${network}`]: PER_ADDRESS },
      [anywhere]: PER_PERSON_ANYWHERE,
    };
    await attempts.begin(keys);
    const users = await store.people.listByEmail(email);
    const { user, renewed } = await whoseIs(password, users).catch(async (error: unknown) => {
      if (error instanceof HttpError && error.code === "wrong_login") {
        // Not awaited: its duration would reveal whether the address has a login.
        void noteRefusedSignIn(request, users, { why: "wrong password", routing })
          .catch((cause: unknown) => deps.logger.warn("Cannot record a sign-in", { error: cause }));
      }
      throw error;
    });
    // Failures may have been guesses of the password of another login with this address.
    await attempts.succeed(keys, { forget: users.length === 1 ? [person] : [] });
    const { passwordHash } = user;
    // Another one may have been set meanwhile.
    if (renewed !== undefined) {
      await store.people.update(user._id, { passwordHash: renewed }, { passwordHash });
    }
    const accountId = await firstAccountOf(user._id, routing);
    const isWhole = !hasSecondFactor(user);
    const entry = {
      userId: user._id,
      accountId,
      awaits: isWhole ? null : "second_factor",
      async isStillValid() {
        const current = await store.people.find(user._id);
        return current !== null && current.passwordHash === (renewed ?? passwordHash) &&
          hasSecondFactor(current) === !isWhole;
      },
    } as const;
    await signIn({ request, reply }, entry, routing);
    if (isWhole) return { second: null } satisfies LoginView;
    const { totp, passkeys } = user.secondFactor;
    return {
      second: { app: totp !== null, passkey: passkeys.length > 0 },
    } satisfies LoginView;
  });

  app.post("/api/sign-in/second/passkey", { config: { role: "anyone" } }, async (request) => {
    const { session, user } = await halfOf(request);
    const options = await secondFactors.passkeys.askFor(user);
    await store.sessions.keepChallenge(session._id, options.challenge);
    return options;
  });

  app.post("/api/sign-in/second", { config: { role: "anyone" } }, async (request, reply) => {
    const { session, user } = await halfOf(request);
    const proof = readInput(SECOND, request.body);
    const keys = { [`second ${user._id}`]: PER_PERSON };
    await attempts.begin(keys);
    const challenge = proof.by === "passkey"
      ? await store.sessions.takeChallenge(session._id)
      : null;
    if (!await secondFactors.take(user, proof, challenge)) {
      await noteRefusedSignIn(request, [user], { why: "wrong second factor", routing });
      throw new HttpError("wrong_code", WRONG_PROOF[proof.by]);
    }
    await attempts.succeed(keys, { forget: Object.keys(keys) });
    const entry = {
      ...{ userId: user._id, accountId: session.accountId },
      // A change of the password has ended it.
      isStillValid: () => store.sessions.removeOf(user._id, session._id),
    };
    await signIn({ request, reply }, entry, routing);
    return {};
  });

  /**
   * Finds the session of a person who has shown their password in this browser and must show a
   * second factor.
   */
  async function halfOf({ cookies }: FastifyRequest): Promise<{ session: Session; user: User }> {
    const token = cookies[SESSION_COOKIE];
    const session = token === undefined
      ? null
      : await store.sessions.findHalf(hashToken(token), deps.now());
    const user = session === null ? null : await store.people.find(session.userId);
    if (session !== null && user !== null) return { session, user };
    throw new HttpError("signed_out", "The sign-in expired. Sign in again");
  }

  /** Finds the user with this password: several users may have an address until it is verified. */
  async function whoseIs(
    password: string,
    users: readonly User[],
  ): Promise<{ user: User; renewed?: string }> {
    const withPassword = users.filter(({ passwordHash }) => passwordHash !== null);
    for (const user of withPassword) {
      const { isRight, renewed } = await hasher.verify(password, user.passwordHash);
      if (isRight) return { user, ...(renewed === undefined ? {} : { renewed }) };
    }
    if (withPassword.length === 0) await hasher.verify(password, null);
    throw new HttpError("wrong_login", "The email address or the password is wrong");
  }
}

function alreadySetUp(): HttpError {
  return new HttpError("conflict", "The first account already exists. Sign in");
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [given, wanted].map((text) => hash("sha256", text, "buffer"));
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
