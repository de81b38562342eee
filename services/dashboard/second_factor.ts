import type { SecondFactor, User } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { SecondFactorProof } from "./interface/people.ts";
import { openPasskeys, type Passkeys } from "./passkeys.ts";
import { hashRecoveryCode } from "./recovery_codes.ts";
import { openOwnBox, type OwnBox, stepOfCode } from "./totp.ts";

/** Checks second factors. */
export interface SecondFactors {
  readonly passkeys: Passkeys;
  /** Seals secrets of authenticator apps; undefined if the operator has set no key for them. */
  readonly box: OwnBox | undefined;
  /** Returns whether a code is of the user's authenticator app and was not used before. */
  takeCode(user: User, code: string): Promise<boolean>;
  /**
   * Returns whether a proof is a second factor of the user. Each proof is accepted once.
   *
   * @param challenge The challenge that a passkey had to sign
   */
  take(user: User, proof: SecondFactorProof, challenge: string | null): Promise<boolean>;
}

/** What {@linkcode openSecondFactors} needs. */
export type SecondFactorDeps =
  & StorePart<"people.takeTotpStep" | "people.takeRecoveryCode" | "people.notePasskeyUse">
  & {
    now(): Date;
    publicUrl: string;
    /** 32 bytes; without them authenticator apps are disabled. */
    key: Buffer | undefined;
  };

/** Opens the check of second factors. */
export function openSecondFactors(deps: SecondFactorDeps): SecondFactors {
  const { now, publicUrl, key, people: { takeTotpStep, takeRecoveryCode, notePasskeyUse } } = deps;
  const passkeys = openPasskeys(publicUrl);
  const box = key === undefined ? undefined : openOwnBox(key);

  async function takeCode({ _id, secondFactor: { totp } }: User, code: string): Promise<boolean> {
    if (totp === null || box === undefined) return false;
    const secret = opened(box, totp.secret, _id);
    const step = secret === undefined ? null : stepOfCode(code, secret, now());
    return step !== null && await takeTotpStep(_id, step);
  }

  return {
    ...{ passkeys, box, takeCode },
    async take(user, proof, challenge) {
      switch (proof.by) {
        case "app":
          return await takeCode(user, proof.code);
        case "recovery":
          return await takeRecoveryCode(user._id, hashRecoveryCode(proof.code));
        case "passkey": {
          if (challenge === null) return false;
          const use = await passkeys.readUse(proof.response, challenge, user);
          return use !== undefined && await notePasskeyUse(user._id, use.id, use.counter);
        }
      }
    },
  };
}

/** Returns a secret, or undefined if it was sealed under a lost key. */
function opened(box: OwnBox, sealed: string, owner: string): string | undefined {
  try {
    return box.open(sealed, owner);
  } catch {
    return undefined;
  }
}

/** Returns whether a user has a second factor. Recovery codes alone do not count. */
export function hasSecondFactor({ secondFactor }: { secondFactor: SecondFactor }): boolean {
  return secondFactor.totp !== null || secondFactor.passkeys.length > 0;
}
