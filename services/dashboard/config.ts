import { CONNECTIONS, MAIL_LIMITS, REQUEST_LIMITS, setting } from "@posthaste/runtime";
import { z } from "zod";
import type { DashboardOptions } from "./app.ts";
import type { ReportedLimits } from "./limits.ts";
import { QUOTAS, type Quotas } from "./quotas.ts";
import type { OidcSettings } from "./oidc.ts";

/** Settings of the dashboard, beside those that every service has. */
export const CONFIG = z.object({
  PORT: setting.port().prefault("8081").describe("Port of the dashboard"),
  HOST: setting.text().prefault("0.0.0.0").describe("Address of the dashboard"),
  ...CONNECTIONS,
  PUBLIC_URL: setting.url({ schemes: ["http", "https"] }).prefault("http://localhost:8081")
    .describe("Where people open the dashboard; changes are taken from pages of this origin only"),
  API_URL: setting.url({ schemes: ["http", "https"] }).prefault("http://localhost:8080/v1")
    .describe("Base of the HTTP interface, as it stands in the examples that people copy"),
  // Public, but may lie in a file, and is nobody's to exchange.
  SEALING_KEY: setting.text({ secret: true })
    .describe(
      "Public key that SMTP passwords are sealed to, as `posthaste keys public` prints it; the mailer " +
        "alone opens them",
    ),
  SETUP_CODE: setting.text({ secret: true }).optional()
    .describe(
      "Asked for where the first account is made; drawn and logged by each process when not set",
    ),
  OIDC_ISSUER: setting.url({ schemes: ["https", "http"] }).optional()
    .describe(
      "Issuer of the OpenID Connect provider where members may sign in too. It must say that it has " +
        "verified their addresses; its redirect address is PUBLIC_URL with /api/sign-in/oidc/callback",
    ),
  OIDC_CLIENT_ID: setting.text().optional().describe("What the provider calls this dashboard"),
  OIDC_CLIENT_SECRET: setting.text({ secret: true }).optional()
    .describe("Shared with the provider"),
  OIDC_NAME: setting.text().prefault("your organisation")
    .describe('What the button says: "Sign in with …"'),
  PASSWORD_SIGN_IN: setting.oneOf(["on", "off"]).prefault("on")
    .describe(
      "off: nobody signs in by password but who makes the first account; it takes OIDC_ISSUER",
    ),
  SYSTEM_ACCOUNT: setting.text().optional()
    .describe(
      "Name or id of the account whose oldest integration sends what Posthaste itself writes to people: " +
        "invitations, and links that prove an address; without it nobody can prove one but by OpenID Connect",
    ),
  SYSTEM_MAIL_LIMIT: setting.integer({ min: 1 }).prefault("1000")
    .describe(
      "Most of these mails in an hour that people ask for, per process, and as many notices of suspensions; beyond, none is sent",
    ),
  SECURITY_CONTACT: setting.text().optional()
    .refine((uri) => uri === undefined || /^(?:https:\/\/|mailto:)[^\s]+$/.test(uri), {
      error: 'must begin with "https://" or "mailto:"',
    })
    .describe(
      "Where to report a weakness of this installation, in /.well-known/security.txt (RFC 9116)",
    ),
  TRUSTED_PROXIES: setting.list().prefault("")
    .describe("Addresses and networks of the proxies in front, whose X-Forwarded-For is believed"),
  MAX_CONNECTIONS: setting.integer({ min: 10 }).prefault("2000")
    .describe("Most connections at a time; what comes beyond is closed at once"),
  MAX_CLIENT_CONNECTIONS: setting.integer({ min: 1 }).prefault("500")
    .describe("Most of them from one IPv4 address, or the first 64 bits of an IPv6 one"),
  REQUEST_TIMEOUT: setting.duration({ min: 1000 }).prefault("30s")
    .describe("Longest time for a whole request to arrive"),
  BODY_MEMORY: setting.bytes({ min: 1000 }).prefault("64MB")
    .describe("Most memory for the bodies of requests being worked on; beyond, they get 503"),
  ACCOUNT_BODY_MEMORY: setting.bytes({ min: 1000 }).prefault("16MB")
    .describe(
      "Most of it of one account, or of one network that nobody has signed in from; beyond, they get 429",
    ),
  SESSION_AGE: setting.duration({ min: 60_000 }).prefault("14d")
    .describe("Time without a visit after which a browser is signed out"),
  SECOND_FACTOR_KEY: setting.text({ secret: true }).optional()
    .refine((key) => key === undefined || Buffer.from(key, "base64").length === 32, {
      error: "must be 32 random bytes in base64",
    })
    .describe(
      "32 random bytes in base64, of this service alone: the secrets of people's authenticator apps are " +
        "sealed under it; without it people can use passkeys alone",
    ),
  SESSION_MAX_AGE: setting.duration({ min: 60_000 }).prefault("30d")
    .describe("Time after which a browser is signed out, however often it is used"),
  MAX_MEMBERS: setting.integer({ min: 1 }).prefault(String(QUOTAS.members))
    .describe("Most members of an account, with those who are invited; beyond, they get 409"),
  MAX_ACCOUNTS: setting.integer({ min: 1 }).prefault(String(QUOTAS.accounts))
    .describe("Most accounts that one person owns; beyond, they get 409"),
  MAX_TEMPLATES: setting.integer({ min: 1 }).prefault(String(QUOTAS.templates))
    .describe("Most templates of an account, of either kind; beyond, they get 409"),
  ...REQUEST_LIMITS,
  ...MAIL_LIMITS,
  DEMO_ACCOUNT: setting.text().optional()
    .describe(
      "For development only: name of the account that anybody may open with one click; " +
        "HOST and PUBLIC_URL must then be of this machine",
    ),
}).superRefine(({ DEMO_ACCOUNT, HOST, PUBLIC_URL, ...rest }, { addIssue }) => {
  if (rest.PASSWORD_SIGN_IN === "off" && rest.OIDC_ISSUER === undefined) {
    const message = "must be on where there is no OIDC_ISSUER: nobody could sign in";
    addIssue({ code: "custom", path: ["PASSWORD_SIGN_IN"], message });
  }
  if (DEMO_ACCOUNT === undefined) return;
  // Whoever reaches the port is let in: what a browser may not do across origins, any other program may.
  for (const [setting, host] of [["HOST", HOST], ["PUBLIC_URL", new URL(PUBLIC_URL).hostname]]) {
    if (isThisMachine(`${host}`)) continue;
    const message = `${setting} must be of this machine alone, such as localhost`;
    addIssue({ code: "custom", path: ["DEMO_ACCOUNT"], message });
  }
});

function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}

/** Settings of the dashboard, as read. */
export type Config = z.infer<typeof CONFIG>;

/** Gives the limits that the other services hold to, as far as this one was told the same. */
export function reportedLimitsOf(config: Config): ReportedLimits {
  return {
    bodyLimit: config.BODY_LIMIT,
    maxRecipients: config.MAX_RECIPIENTS,
    maxAttachments: config.MAX_ATTACHMENTS,
    rateLimit: config.RATE_LIMIT,
    rateWindowMs: config.RATE_WINDOW,
    mailLimit: config.MAIL_LIMIT,
  };
}

/** Returns the limits of the server, out of the settings. */
export function edgeLimitsOf(config: Config): Pick<DashboardOptions, "edge" | "bodies"> {
  return {
    edge: {
      requestTimeoutMs: config.REQUEST_TIMEOUT,
      connections: {
        max: config.MAX_CONNECTIONS,
        maxPerClient: config.MAX_CLIENT_CONNECTIONS,
        proxies: config.TRUSTED_PROXIES,
      },
    },
    bodies: { max: config.BODY_MEMORY, maxPerOwner: config.ACCOUNT_BODY_MEMORY },
  };
}

/**
 * Gives the OpenID Connect provider out of the settings, if there is one.
 *
 * @throws {Error} If one of them is set and another is missing.
 */
export function oidcOf(config: Config): OidcSettings | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } =
    config;
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) {
    return undefined;
  }
  if (issuer !== undefined && clientId !== undefined && clientSecret !== undefined) {
    return { issuer, clientId, clientSecret, name: config.OIDC_NAME };
  }
  throw new Error(
    "Cannot offer OpenID Connect: OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET belong together",
  );
}

/** Returns the key that the secrets of authenticator apps are sealed under, if there is one. */
export function secondFactorKeyOf({ SECOND_FACTOR_KEY: key }: Config): Buffer | undefined {
  return key === undefined ? undefined : Buffer.from(key, "base64");
}

/** Returns how much people may make, out of the settings. */
export function quotasOf({ MAX_MEMBERS, MAX_ACCOUNTS, MAX_TEMPLATES }: Config): Quotas {
  return { members: MAX_MEMBERS, accounts: MAX_ACCOUNTS, templates: MAX_TEMPLATES };
}
