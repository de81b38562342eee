import { type EventData, PROBE_STEPS, type ProbeReply } from "@posthaste/contracts";
import { openSemaphore } from "@posthaste/limits";
import type { Step } from "@posthaste/messaging";
import type { MasterKeys, StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import { type ProbeOptions, probeServer } from "./probe_server.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import { directTokens } from "./oauth/direct_tokens.ts";
import type { TokenClient } from "./oauth/fetch_token.ts";
import { unsealSettings } from "./unseal.ts";

/** The dependencies of the step. */
export type ProbeDeps =
  & ProbeOptions
  & StorePart<"integrations.replaceRefreshToken">
  & {
    keys: MasterKeys;
    /** Asks the providers for access tokens. */
    tokenClient: TokenClient;
    logger: Pick<Logger, "warn">;
  };

/** Maximum probes in flight, in this process. */
export const PROBE_CONCURRENCY = 4;

/** Limit of one account: others must not wait for its slow servers. */
const PROBES_OF_ACCOUNT = 2;

/**
 * Tests a customer's SMTP server for an interactive request. Few tests run at the same time, and fewer of one
 * account, so that it cannot be used to search for servers.
 */
export function probeStep(deps: ProbeDeps): Step<"probe.requested"> {
  const probes = openSemaphore({ max: Infinity, maxPerOwner: PROBES_OF_ACCOUNT });
  return {
    name: "mailer.probe",
    handle: async ({ data }) => {
      using permit = probes.tryAcquire(data.accountId);
      return done(permit === undefined ? refused(BUSY) : await probe(data, deps));
    },
    giveUp: (_, reason) => ({
      publish: [],
      replies: [refused(`The test was aborted: ${reason}`)],
    }),
  };
}

const BUSY = "Other tests of this account are running. Try again when they finish";

function done(reply: ProbeReply) {
  return { type: "done" as const, publish: [], replies: [reply] };
}

async function probe(
  { accountId, settings }: EventData<"probe.requested">,
  deps: ProbeDeps,
): Promise<ProbeReply> {
  let opened: SmtpIntegration;
  try {
    const owned = { ...settings, accountId };
    opened = unsealSettings(owned, deps.keys, (login) => directTokens(owned, login, deps));
  } catch (error) {
    deps.logger.warn("Cannot open the secrets of a probe", { error });
    const what = settings.auth?.kind === "password" ? "password" : "secret of the login";
    return refused(`The ${what} could not be opened: enter it again`, "auth");
  }
  return await probeServer(opened, settings.sender, deps);
}

/** Returns the reply for a probe that did not start. */
function refused(detail: string, at: (typeof PROBE_STEPS)[number] = "resolve"): ProbeReply {
  return {
    ok: false,
    steps: PROBE_STEPS.map((step) => ({
      ...{ step, durationMs: 0 },
      outcome: step === at ? "failed" : "skipped",
      detail: step === at ? detail : "",
    })),
  };
}
