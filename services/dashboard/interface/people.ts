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

/** `GET /api/sign-in/invitation/:token`: what the link invites to, for anyone who has it. */
export interface InvitationOffer {
  accountName: string;
  email: string;
  role: Role;
  invitedBy: string;
  expiresAt: string;
  /** Whether the link was sent to the address: who has it need not prove the address any more. */
  isMailed: boolean;
}

/** `POST /api/sign-in/invitation/:token`: makes a login that is for this account alone. */
export interface AcceptInput {
  name: string;
  password: string;
}

/** What somebody who comes from the provider may join. */
export interface JoiningOffer {
  id: string;
  accountName: string;
  role: Role;
  invitedBy: string;
  /** Null unless the one who invites has proven it. */
  inviterEmail: string | null;
}

/** `GET /api/sign-in/joining`: what was sent to the address that the provider has verified. */
export interface JoiningView {
  email: string;
  offers: JoiningOffer[];
}

/** A member of the account. */
export interface MemberView {
  userId: string;
  name: string;
  email: string;
  /** Whether it was shown that the address is theirs. */
  isProven: boolean;
  role: Role;
  since: string;
}

/** An invitation that nobody has used yet. */
export interface InvitationView {
  id: string;
  email: string;
  role: Role;
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
}

/** `GET /api/members`; owners alone see the invitations. */
export interface MembersView {
  members: MemberView[];
  invitations: InvitationView[];
}

/** `POST /api/invitations`: the link is told this once, and not at all if it was sent to the address. */
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
}

/** One of `GET /api/you/sessions`: a browser that is signed in. */
export interface BrowserView {
  id: string;
  userAgent: string;
  createdAt: string;
  lastSeenAt: string;
  /** Whether it is the one that asks. */
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
  /** The person's name now, or their address then; null for what no person did. */
  who: string | null;
  action: string;
  target: string;
  details: Record<string, string | number | boolean | null>;
}

/** `GET /api/audit?before=`: newest first; `next` is what to ask `before` for the rest. */
export interface AuditPage {
  lines: AuditLine[];
  next: string | null;
}

/** What is shown besides the password. */
export type SecondFactorProof =
  | { by: "app"; code: string }
  | { by: "recovery"; code: string }
  /** What the browser's `navigator.credentials.get()` gave, as JSON. */
  | { by: "passkey"; response: unknown };

/** Which of them somebody has. */
export interface SecondFactorWays {
  app: boolean;
  passkey: boolean;
}

/** `POST /api/sign-in/login`: what is still to be shown; null if nothing. */
export interface LoginView {
  second: SecondFactorWays | null;
}

/** `GET /api/you/second-factor`. */
export interface SecondFactorView {
  /** Whether the authenticator app is set up. */
  app: boolean;
  /** Whether the operator lets people use one. */
  offersApp: boolean;
  passkeys: { id: string; name: string; createdAt: string }[];
  recoveryCodesLeft: number;
}

/** `POST /api/you/second-factor/app`: what to put into the app. */
export interface NewAppView {
  /** In base32. */
  secret: string;
  /** `otpauth://`, with the same. */
  uri: string;
}

/** What adding a second factor answers: with the first one, codes for when it is lost, told this once. */
export interface SecondFactorAdded {
  recoveryCodes: string[] | null;
}
