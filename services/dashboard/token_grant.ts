import type { AccessToken, TokenLimits } from "@posthaste/contracts";

/** The properties of a token that another token creates. */
export type Granted = Pick<AccessToken, "scopes" | "expiresAt" | keyof TokenLimits>;

/** Why a token must not be created. */
export interface GrantFault {
  path: "scopes" | "expiresAt" | "limits";
  message: string;
  /** Whether people may create it. @default {false} */
  isForPeople?: boolean;
}

const LIMITS = ["addresses", "templates", "integrations"] as const;

/** Returns the limits of a new token; missing ones are those of the creating token. */
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
 * Returns why a token must not create another. The new one may have a part of its rights, may not
 * expire later, and may have no scope that changes an account's objects.
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

/**
 * Returns whether a list allows more; an empty list sets no limit. Addresses are compared as they
 * are written.
 */
function isWider(wanted: readonly unknown[], own: readonly unknown[]): boolean {
  if (own.length === 0) return false;
  return wanted.length === 0 || wanted.some((each) => !own.includes(each));
}
