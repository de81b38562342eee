import type { Passkey, User } from "@posthaste/contracts";
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";

/** The use of a passkey: its id, and its count of signatures. */
export interface PasskeyUse {
  id: string;
  counter: number;
}

/** Creates and checks passkeys (WebAuthn), which are bound to the dashboard's own origin. */
export interface Passkeys {
  /** Returns what a browser needs to create one, with the challenge to keep. */
  askForNew(user: User): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /**
   * Reads a new passkey.
   *
   * @returns Undefined if the browser's answer does not fit the challenge
   */
  readNew(
    response: unknown,
    challenge: string,
  ): Promise<Pick<Passkey, "id" | "publicKey" | "counter" | "transports"> | undefined>;
  /**
   * Returns what a browser needs to sign with one of the user's passkeys, with the challenge to
   * keep.
   */
  askFor(user: User): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /**
   * Reads the use of a passkey.
   *
   * @returns Undefined if it is not the user's, or does not fit the challenge
   */
  readUse(response: unknown, challenge: string, user: User): Promise<PasskeyUse | undefined>;
}

const NAME = "Posthaste";

/** Loaded on demand: it contains parsers of certificates, which slow the start down. */
const library = () => import("@simplewebauthn/server");

/** Opens the passkeys of a dashboard at an address. */
export function openPasskeys(publicUrl: string): Passkeys {
  const { origin: expectedOrigin, hostname: rpID } = new URL(publicUrl);
  const expected = { expectedOrigin, expectedRPID: rpID, requireUserVerification: false };
  const known = ({ secondFactor }: User) =>
    secondFactor.passkeys.map(({ id, transports }) => ({
      id,
      transports: transports as AuthenticatorTransport[],
    }));
  return {
    askForNew: async (user) =>
      await (await library()).generateRegistrationOptions({
        ...{ rpName: NAME, rpID, userName: user.email, userDisplayName: user.name },
        userID: new Uint8Array(Buffer.from(user._id)),
        attestationType: "none",
        excludeCredentials: known(user),
        authenticatorSelection: { residentKey: "discouraged", userVerification: "preferred" },
      }),
    async readNew(response, challenge) {
      const { verifyRegistrationResponse } = await library();
      const read = await quietly(() =>
        verifyRegistrationResponse({
          ...expected,
          response: response as RegistrationResponseJSON,
          expectedChallenge: challenge,
        })
      );
      if (!read?.verified) return undefined;
      const { id, publicKey, counter, transports = [] } = read.registrationInfo.credential;
      return { id, publicKey: Buffer.from(publicKey).toString("base64url"), counter, transports };
    },
    askFor: async (user) =>
      await (await library()).generateAuthenticationOptions({
        rpID,
        allowCredentials: known(user),
        userVerification: "preferred",
      }),
    async readUse(response, challenge, { secondFactor }) {
      const { id } = (response ?? {}) as { id?: unknown };
      const passkey = secondFactor.passkeys.find((each) => each.id === id);
      if (passkey === undefined) return undefined;
      const { verifyAuthenticationResponse } = await library();
      const read = await quietly(() =>
        verifyAuthenticationResponse({
          ...expected,
          response: response as AuthenticationResponseJSON,
          expectedChallenge: challenge,
          credential: {
            id: passkey.id,
            publicKey: new Uint8Array(Buffer.from(passkey.publicKey, "base64url")),
            counter: passkey.counter,
          },
        })
      );
      if (!read?.verified) return undefined;
      return { id: passkey.id, counter: read.authenticationInfo.newCounter };
    },
  };
}

/**
 * Returns undefined if the library throws: it does for any invalid answer, and all of them come
 * from a browser.
 */
async function quietly<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}
