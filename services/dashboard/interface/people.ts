import type { Role } from "@posthaste/contracts";

/** `POST /api/sign-in/setup`: the first account, its owner, and the code from the log. */
export interface SetupInput {
  accountName: string;
  name: string;
  email: string;
  password: string;
  setupCode: string;
}

/** `POST /api/sign-in/login`. */
export interface LoginInput {
  email: string;
  password: string;
}

/** `GET /api/sign-in/invitation/:token`: the content of an invitation, for any holder of its link. */
export interface InvitationOffer {
  accountName: string;
  email: string;
  role: Role;
  invitedBy: string;
  expiresAt: string;
  /** Whether the link was sent to the address: its holder need not verify the address again. */
  isMailed: boolean;
}

/** `POST /api/sign-in/invitation/:token`: creates a login for this account only. */
export interface AcceptInput {
  name: string;
  password: string;
}

/** An invitation that a person from the provider may accept. */
export interface JoiningOffer {
  id: string;
  accountName: string;
  role: Role;
  invitedBy: string;
  /** Null unless the inviter has verified it. */
  inviterEmail: string | null;
}

/** `GET /api/sign-in/joining`: the invitations to the address that the provider has verified. */
export interface JoiningView {
  email: string;
  offers: JoiningOffer[];
}

/** A member of the account. */
export interface MemberView {
  userId: string;
  name: string;
  email: string;
  /** Whether the address is verified. */
  isProven: boolean;
  role: Role;
  since: string;
}

/** An unused invitation. */
export interface InvitationView {
  id: string;
  email: string;
  role: Role;
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
}

/** `GET /api/members`; only owners see the invitations. */
export interface MembersView {
  members: MemberView[];
  invitations: InvitationView[];
}

/**
 * `POST /api/invitations`: the link is returned only once, and not at all if it was sent to the
 * address.
 */
export interface InvitedView {
  invitation: InvitationView;
  link: string | null;
}

/** `GET /api/account`. */
export interface AccountView {
  id: string;
  name: string;
  createdAt: string;
  retention: { contentDays: number };
  /** Whether addresses whose mailbox does not exist go on the suppression list. */
  suppressRefused: boolean;
  /** BCP 47 tag of the language of mails whose request names none; null for that of each template. */
  locale: string | null;
}

/** One of `GET /api/you/sessions`: a signed-in browser. */
export interface BrowserView {
  id: string;
  userAgent: string;
  createdAt: string;
  lastSeenAt: string;
  /** Whether it is the browser of this request. */
  isThis: boolean;
}

/** One of `GET /api/settings/limits`. */
export interface LimitView {
  name: string;
  value: string;
  about: string;
}

/** A line of the audit log. */
export interface AuditLine {
  id: string;
  at: string;
  /** The person's current name, or their address at the time; null for an action of no person. */
  who: string | null;
  action: string;
  target: string;
  details: Record<string, string | number | boolean | null>;
}

/** `GET /api/audit?before=`: newest first; `next` is the `before` of the next page. */
export interface AuditPage {
  lines: AuditLine[];
  next: string | null;
}

/** The second factor that is shown besides the password. */
export type SecondFactorProof =
  | { by: "app"; code: string }
  | { by: "recovery"; code: string }
  /** The result of the browser's `navigator.credentials.get()`, as JSON. */
  | { by: "passkey"; response: unknown };

/** The kinds of second factor that a person has. */
export interface SecondFactorWays {
  app: boolean;
  passkey: boolean;
}

/** `POST /api/sign-in/login`: what must still be shown; null if nothing. */
export interface LoginView {
  second: SecondFactorWays | null;
}

/** `GET /api/you/second-factor`. */
export interface SecondFactorView {
  /** Whether the authenticator app is set up. */
  app: boolean;
  /** Whether the operator has enabled authenticator apps. */
  offersApp: boolean;
  passkeys: { id: string; name: string; createdAt: string }[];
  recoveryCodesLeft: number;
}

/** `POST /api/you/second-factor/app`: the secret to enter into the app. */
export interface NewAppView {
  /** In base32. */
  secret: string;
  /** The same secret as an `otpauth://` address. */
  uri: string;
}

/**
 * The result of adding a second factor: with the first one, recovery codes, which are returned only
 * once.
 */
export interface SecondFactorAdded {
  recoveryCodes: string[] | null;
}

/** `POST /api/recipients/forget`: what was removed, and what still names the person. */
export interface ForgottenView {
  removed: {
    messages: number;
    /** Of these, those that were not sent yet and never will be. */
    canceled: number;
    /** Messages with copies to the person that no longer name them. */
    copies: number;
    invitations: number;
  };
  left: {
    /** Ids of messages that are being sent, or whose outcome a person must decide. */
    messages: string[];
    /** Lines of the audit log, which only the operator may erase. Only of those that were read. */
    auditLines: number;
    /** Where the next request goes on in the audit log, as its `auditAfter`; null after its end. */
    auditNext: string | null;
    /** Whether the time was over before all was done. Repeat the request then. */
    isCut: boolean;
  };
}
