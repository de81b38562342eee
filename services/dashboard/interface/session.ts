import type { Role } from "@posthaste/contracts";

/** How somebody shows that it is still them: by their password, at their provider, or, in the demonstration, by a click. */
export type ConfirmationWay = "password" | "provider" | "click";

/** `GET /api/session`: who is signed in, and where. */
export interface SessionView {
  user: {
    id: string;
    email: string;
    /** Whether it was shown that the address is theirs. */
    isProven: boolean;
    name: string;
    hasPassword: boolean;
    /** How they show that it is still them. */
    confirmBy: ConfirmationWay;
    /** Whether they have one: a passkey, or an authenticator app. */
    hasSecondFactor: boolean;
  };
  account: { id: string; name: string; requiresSecondFactor: boolean };
  /** Whether the account is closed to them until they have a second factor. */
  needsSecondFactor: boolean;
  role: Role;
  /** Accounts that the user may change to. */
  accounts: { id: string; name: string; role: Role }[];
  /** To be sent in `x-csrf-token` with everything that is no GET. */
  csrfToken: string;
  /** Base of the HTTP interface, for examples: ends with `/v1`. */
  apiUrl: string;
}

/** `GET /api/sign-in`: how people may sign in. */
export interface SignInView {
  /** Nobody has ever signed in: the first account is to be made. */
  needsSetup: boolean;
  /** Name of the account that anybody may open with one click, for development only. */
  demoAccount: string | null;
  /** What the button of the OpenID Connect provider says; null if there is none. */
  oidcName: string | null;
  /** Whether people may sign in by password. */
  hasPasswords: boolean;
  /** Whether mail can be sent to people: invitations, and links that prove an address. */
  sendsMail: boolean;
}

/** `?refused=` of the address that the provider's answer leads to when it lets nobody in. */
export type OidcFault = "unverified" | "not_member" | "provider" | "expired";
