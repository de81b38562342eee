import type { AccessToken, TokenLimits } from "@posthaste/contracts";

/** What a token is to be that another makes. */
export type Granted = Pick<AccessToken, "scopes" | "expiresAt" | keyof TokenLimits>;

/** Why a token may not be made. */
export interface GrantFault {
  path: "scopes" | "expiresAt" | "limits";
  message: string;
  /** Whether people may make it. @default {false} */
  isForPeople?: boolean;
}

const LIMITS = ["addresses", "templates", "integrations"] as const;

/** Returns the limits of a new token: where it asks for none, those of the token that makes it. */
export function grantedLimits(own: AccessToken | null, asked: TokenLimits): TokenLimits {
  if (own === null) return asked;
  const { addresses, templates, integrations } = asked;
  return {
    addresses: addresses.length === 0 ? own.addresses : addresses,
    templates: templates.length === 0 ? own.templates : templates,
    integrations: integrations.length === 0 ? own.integrations : integrations,
  };
}

/**
 * Returns why a token may not make another: it passes on a part of what it may do itself, to no later
 * than it expires, and none of the scopes that change what an account has.
 */
export function grantFaults(own: Granted, wanted: Granted): GrantFault[] {
  const faults: GrantFault[] = [];
  const managing = wanted.scopes.filter((scope) => scope.startsWith("manage:"));
  const beyond = wanted.scopes.filter((scope) => !own.scopes.includes(scope));
  if (managing.length > 0) {
    const message = `has ${managing.join(", ")}: only people make such tokens`;
    faults.push({ path: "scopes", message, isForPeople: true });
  } else if (beyond.length > 0) {
    faults.push({ path: "scopes", message: `has ${beyond.join(", ")}, which this token lacks` });
  }
  if (isLater(wanted.expiresAt, own.expiresAt)) {
    faults.push({ path: "expiresAt", message: "is later than this token expires" });
  }
  const wide = LIMITS.filter((name) => isWider(wanted[name], own[name]));
  if (wide.length > 0) {
    faults.push({ path: "limits", message: `allow more ${wide.join(", ")} than this token` });
  }
  return faults;
}

function isLater(wanted: Date | null, own: Date | null): boolean {
  return own !== null && (wanted === null || wanted > own);
}

/** An empty list sets no limit. Addresses are compared as they are written. */
function isWider(wanted: readonly unknown[], own: readonly unknown[]): boolean {
  if (own.length === 0) return false;
  return wanted.length === 0 || wanted.some((each) => !own.includes(each));
}
