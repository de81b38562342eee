/** Providers that issue access tokens for their SMTP servers. */
export const OAUTH_PROVIDERS = ["microsoft", "google"] as const;

/** A provider that issues access tokens. */
export type OauthProvider = (typeof OAUTH_PROVIDERS)[number];

/** A provider's endpoints (RFC 6749, section 3), and what to ask there. `{tenant}` is Microsoft's alone. */
export interface OauthEndpoints {
  /** Name for people. */
  readonly name: string;
  /** Where a person consents. */
  readonly authorize: string;
  readonly token: string;
  /** Scope of a consent: to send mail, and a refresh token. */
  readonly scope: string;
  /** Further parameters of a consent: without them, there is no refresh token. */
  readonly consent: Readonly<Record<string, string>>;
}

/** The providers' own endpoints. */
export const OAUTH_ENDPOINTS: Readonly<Record<OauthProvider, OauthEndpoints>> = {
  microsoft: {
    name: "Microsoft",
    authorize: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
    token: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
    scope: "https://outlook.office.com/SMTP.Send offline_access",
    consent: { prompt: "select_account" },
  },
  google: {
    name: "Google",
    authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    scope: "https://mail.google.com/",
    consent: { access_type: "offline", prompt: "consent" },
  },
};

/** Scope of Microsoft's client credentials: all permissions that an administrator granted. */
export const MICROSOFT_APP_SCOPE = "https://outlook.office365.com/.default";
