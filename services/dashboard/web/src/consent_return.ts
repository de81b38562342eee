import { openAccount } from "./api.ts";
import { CONSENT_RETURN, type ReturnedConsent, takeReturned } from "./consent_request.ts";

let returned: ReturnedConsent = { kind: "unknown" };

/** Takes a provider's redirect from the address bar immediately, before anything can read or repeat it. */
export function catchConsentReturn(): void {
  if (location.pathname !== CONSENT_RETURN) return;
  returned = takeReturned(location.search, { slot: sessionStorage, nowMs: Date.now() });
  history.replaceState(null, "", CONSENT_RETURN);
  if (returned.kind !== "unknown") openAccount(returned.pending.accountId);
}

/** Returns what the redirect brought, once. */
export function takeConsentReturn(): ReturnedConsent {
  const taken = returned;
  returned = { kind: "unknown" };
  return taken;
}
