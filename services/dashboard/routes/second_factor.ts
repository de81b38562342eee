import { NO_SECOND_FACTOR, type SecondFactor, type User } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { PER_PERSON } from "../attempts.ts";
import { audit } from "../audit.ts";
import type { NewAppView, SecondFactorAdded, SecondFactorView } from "../interface/people.ts";
import { nameInput } from "../people_input.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { hashRecoveryCode, newRecoveryCodes } from "../recovery_codes.ts";
import { hasSecondFactor } from "../second_factor.ts";
import type { Principal } from "../session.ts";
import { newTotp, stepOfCode } from "../totp.ts";
import type { SignInRouting } from "./sign_in_routing.ts";

const CODE = z.object({ code: z.string().max(20) });
const NEW_PASSKEY = z.object({ name: nameInput, response: z.looseObject({ id: z.string() }) });
const PASSKEY = z.object({ passkeyId: z.string() });
const MAX_PASSKEYS = 20;
const PATH = "/api/you/second-factor";

/** Adds the routes of second factors: authenticator apps, passkeys, recovery codes. */
export function secondFactorRoutes(app: FastifyInstance, routing: SignInRouting): void {
  const { deps: { store, now }, attempts, secondFactors: { passkeys, box } } = routing;
  const viewer = { config: { role: "texts" } } as const;
  const recent = { config: { role: "texts", isRecent: true } } as const;

  app.get(PATH, viewer, ({ principal: { user } }): SecondFactorView => ({
    ...{ app: user.secondFactor.totp !== null, offersApp: box !== undefined },
    passkeys: user.secondFactor.passkeys.map(({ id, name, createdAt }) => ({
      ...{ id, name, createdAt: createdAt.toISOString() },
    })),
    recoveryCodesLeft: user.secondFactor.recoveryCodes.length,
  }));

  app.post(`${PATH}/app`, recent, async ({ principal: { user, session } }): Promise<NewAppView> => {
    withPassword(user);
    if (box === undefined) {
      throw new HttpError("not_found", "Authenticator apps are disabled here");
    }
    const made = newTotp(user.email);
    await store.sessions.keepChallenge(session._id, box.seal(made.secret, user._id));
    return made;
  });

  app.put(`${PATH}/app`, recent, async ({ principal, body }): Promise<SecondFactorAdded> => {
    const { code } = readInput(CODE, body);
    const { user, session: { challenge } } = principal;
    if (box === undefined || challenge === null) throw notBegun();
    const keys = { [`second ${user._id}`]: PER_PERSON };
    await attempts.begin(keys);
    const step = stepOfCode(code, secretIn(challenge, user), now());
    if (step === null) {
      const issues = [{ path: "code", message: "is wrong" }];
      throw new HttpError("wrong_code", "The code is wrong. Check the clock of your phone", {
        issues,
      });
    }
    await attempts.succeed(keys);
    await store.sessions.takeChallenge(principal.session._id);
    const totp = { secret: challenge, lastStep: step };
    return await add(principal, (current) => ({ ...current, totp }), "an authenticator app");
  });

  app.delete(`${PATH}/app`, recent, async ({ principal }) => {
    const withoutApp = (current: SecondFactor) => ({ ...current, totp: null });
    await remove(principal, withoutApp, "the authenticator app");
    return {};
  });

  app.post(`${PATH}/passkeys/options`, recent, async ({ principal: { user, session } }) => {
    withPassword(user);
    if (user.secondFactor.passkeys.length >= MAX_PASSKEYS) {
      throw new HttpError(
        "conflict",
        `You have ${MAX_PASSKEYS} passkeys, the maximum. Remove one first`,
      );
    }
    const options = await passkeys.askForNew(user);
    await store.sessions.keepChallenge(session._id, options.challenge);
    return options;
  });

  app.post(`${PATH}/passkeys`, recent, async ({ principal, body }): Promise<SecondFactorAdded> => {
    const { name, response } = readInput(NEW_PASSKEY, body);
    const { user, session } = principal;
    const challenge = await store.sessions.takeChallenge(session._id);
    if (challenge === null) throw notBegun();
    const made = await passkeys.readNew(response, challenge);
    if (made === undefined || user.secondFactor.passkeys.some(({ id }) => id === made.id)) {
      throw new HttpError("wrong_code", "The passkey could not be added. Try again");
    }
    const passkey = { ...made, name, createdAt: now() };
    return await add(
      principal,
      (current) => ({ ...current, passkeys: [...current.passkeys, passkey] }),
      `the passkey ${name}`,
    );
  });

  app.delete(`${PATH}/passkeys/:passkeyId`, recent, async ({ principal, params }) => {
    const { passkeyId } = readInput(PASSKEY, params);
    const { passkeys: known } = principal.user.secondFactor;
    const removed = known.find(({ id }) => id === passkeyId);
    if (removed === undefined) throw new HttpError("not_found", "There is no such passkey");
    const withoutIt = (current: SecondFactor) => ({
      ...current,
      passkeys: current.passkeys.filter(({ id }) => id !== passkeyId),
    });
    await remove(principal, withoutIt, `the passkey ${removed.name}`);
    return {};
  });

  app.post(
    `${PATH}/recovery-codes`,
    recent,
    async ({ principal }): Promise<SecondFactorAdded> => {
      const { user } = principal;
      if (!hasSecondFactor(user)) {
        throw new HttpError("conflict", "Add a passkey or an authenticator app first");
      }
      const recoveryCodes = newRecoveryCodes();
      const hashes = recoveryCodes.map(hashRecoveryCode);
      await store.people.changeSecondFactor(
        user._id,
        (current) => ({ ...current, recoveryCodes: hashes }),
      );
      await note(principal, "recovery_codes.made", user.email);
      return { recoveryCodes };
    },
  );

  async function add(
    principal: Principal,
    change: (current: SecondFactor) => SecondFactor,
    what: string,
  ): Promise<SecondFactorAdded> {
    const { user } = principal;
    const fresh = newRecoveryCodes();
    const hashes = fresh.map(hashRecoveryCode);
    // Two may be added at the same time: the first one creates the codes.
    const changed = await store.people.changeSecondFactor(user._id, (current) => ({
      ...change(current),
      ...(hasSecondFactor({ secondFactor: current }) ? {} : { recoveryCodes: hashes }),
    }));
    const isFirst = changed !== null && !hasSecondFactor({ secondFactor: changed.before });
    const recoveryCodes = isFirst ? fresh : null;
    // Other browsers have not shown the second factor.
    await store.sessions.removeAll(user._id, { except: principal.session._id });
    await note(principal, "second_factor.added", what);
    return { recoveryCodes };
  }

  async function remove(
    principal: Principal,
    change: (current: SecondFactor) => SecondFactor,
    what: string,
  ): Promise<void> {
    await store.people.changeSecondFactor(principal.user._id, (current) => {
      const secondFactor = change(current);
      // Without another second factor, the codes have no purpose.
      return hasSecondFactor({ secondFactor }) ? secondFactor : { ...NO_SECOND_FACTOR };
    });
    await note(principal, "second_factor.removed", what);
  }

  /**
   * Records a change in the audit log of each account that the person is a member of: it concerns
   * them all.
   */
  async function note({ user }: Principal, action: string, target: string): Promise<void> {
    for (const { accountId } of await store.people.listMemberships(user._id)) {
      await audit({ ...store, now }, { accountId, user }, { action, target });
    }
  }

  function secretIn(challenge: string, user: User): string {
    try {
      return box?.open(challenge, user._id) ?? "";
    } catch {
      // The challenge was replaced by a passkey's meanwhile.
      throw notBegun();
    }
  }
}

function withPassword({ passwordHash }: User): void {
  if (passwordHash !== null) return;
  throw new HttpError(
    "conflict",
    "You have no password here: your provider handles second factors",
  );
}

function notBegun(): HttpError {
  return new HttpError("conflict", "The step expired, or started in another window. Start again");
}
