import type { SessionAges } from "./session.ts";
import type { Quotas } from "./quotas.ts";
import type { PasswordCost } from "@posthaste/storage";
import type { ReportedLimits } from "./limits.ts";
import type { OidcSettings } from "./oidc.ts";
import type { EdgeLimits } from "@posthaste/http";
import type { SemaphoreOptions } from "@posthaste/limits";

/** Settings of the dashboard. */
export interface DashboardOptions {
  /** Where people open it. */
  publicUrl: string;
  /** Base of the HTTP interface, for examples. */
  apiUrl: string;
  /** Base of the HTTP interface for the requests that people try; without it they cannot. */
  tryUrl?: string | undefined;
  sessionAges: SessionAges;
  /** @default {QUOTAS} */
  quotas?: Quotas;
  /** Whether people may sign in by password. @default {true} */
  hasPasswords?: boolean;
  /** What the hash of a password costs; tests make it cheap. @default {PASSWORD_COST} */
  passwordCost?: PasswordCost | undefined;
  /** 32 bytes that the secrets of authenticator apps are sealed under; without them there are none. */
  secondFactorKey?: Buffer | undefined;
  /** Where to report a weakness; without it there is no `/.well-known/security.txt`. */
  securityContact?: string | undefined;
  /** Asked for where the first account is made. */
  setupCode: string;
  /** What the settings page shows about the limits of other services. */
  limits: ReportedLimits;
  /** Folder of the built application; null serves the JSON interface alone. */
  builtFolder?: string | null | undefined;
  /** Name of the account that anybody may open with one click. */
  demoAccount?: string | undefined;
  /** Name or id of the account that sends what Posthaste itself writes to people. */
  systemAccount?: string | undefined;
  /** Maximum number of messages that Posthaste itself sends per hour. @default {1000} */
  maxSystemMails?: number | undefined;
  /** Where people may sign in beside here. */
  oidc?: OidcSettings | undefined;
  /** Deadlines and connections. */
  edge?: Partial<EdgeLimits> | undefined;
  /** Memory for bodies. @default 64 MB, 24 MB of one account or network */
  bodies?: SemaphoreOptions | undefined;
}
