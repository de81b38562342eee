import type { Role } from "@posthaste/contracts";

/**
 * How a person confirms their identity: by their password, at their provider, or, in the
 * demonstration, by a click.
 */
export type ConfirmationWay = "password" | "provider" | "click";

/** `GET /api/session`: the signed-in person, and the account. */
export interface SessionView {
  user: {
    id: string;
    email: string;
    /** Whether the address is verified. */
    isProven: boolean;
    name: string;
    hasPassword: boolean;
    /** How the person confirms their identity. */
    confirmBy: ConfirmationWay;
    /** Whether the person has a passkey or an authenticator app. */
    hasSecondFactor: boolean;
  };
  account: { id: string; name: string; requiresSecondFactor: boolean };
  /** Whether the account is closed to the person until they have a second factor. */
  needsSecondFactor: boolean;
  role: Role;
  /** Accounts that the user may change to. */
  accounts: { id: string; name: string; role: Role }[];
  /** Must be sent in `x-csrf-token` with every request except GET. */
  csrfToken: string;
  /** Base of the HTTP interface, for examples: ends with `/v1`. */
  apiUrl: string;
}

/** `GET /api/sign-in`: how people may sign in. */
export interface SignInView {
  /** Whether no person has ever signed in: the first account must be created. */
  needsSetup: boolean;
  /** Name of the account that anybody may open with one click, for development only. */
  demoAccount: string | null;
  /** Name of the OpenID Connect provider on its button; null if there is none. */
  oidcName: string | null;
  /** Whether people may sign in by password. */
  hasPasswords: boolean;
  /** Whether mail can be sent to people: invitations, and links that prove an address. */
  sendsMail: boolean;
}

/** `?refused=` of the address after a sign-in at the provider that was refused. */
export type OidcFault = "unverified" | "not_member" | "provider" | "expired";
