import { randomName } from "@posthaste/runtime";
import type { LeaseRenewal } from "@posthaste/messaging";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** Where the lease is, and where its renewals are reported. */
export interface LeaderLeaseDeps extends StorePart<"leases.take" | "leases.leave"> {
  /** Returns the last renewal that a leader reported; `undefined` if there is none. */
  lastRenewal(): Promise<LeaseRenewal | undefined>;
  /** Reports how often the lease was renewed. */
  reportRenewal(renewals: number): Promise<void>;
  logger: Pick<Logger, "info" | "warn">;
}

/** The lease of work that one tracker does for all. Disposing it leaves the work to the others. */
export interface LeaderLease extends AsyncDisposable {
  /**
   * Takes the lease or renews it, for four seconds. Returns whether this process holds it.
   *
   * @throws If the ledger is away, or, for one who does not lead, the broker.
   */
  renew(): Promise<boolean>;
  /** @throws {Error} If nobody may lead, because the ledger was restored; also before the first renewal. */
  assertCurrent(): void;
}

/** Time after which another tracker takes over from a lost one. */
const LEASE_MS = 4000;

/** Time between two renewals, in milliseconds. */
export const RENEW_EVERY_MS = LEASE_MS / 2;

/**
 * Opens a leader lease. The first renewal acquires it, not the opening.
 *
 * A leader counts each renewal in the ledger and then reports the count to the broker. A ledger that lacks a reported
 * renewal was restored: it counts mail that was sent since its backup as unsent. Nobody leads then, and so
 * nothing sends that mail again, until `posthaste restored hold` has removed the report. If the broker was lost with
 * the ledger, this cannot be detected.
 */
export function openLeaderLease(
  { leases, lastRenewal, reportRenewal, logger }: LeaderLeaseDeps,
  { name }: { name: string },
): LeaderLease {
  const holder = randomName();
  let isLeading = false;
  /** The last renewal by this process, until another one leads. */
  let own: LeaseRenewal | undefined;
  /** The renewal that the ledger lacks; null if it lacks none, undefined before the first answer. */
  let lacking: LeaseRenewal | null | undefined;
  let cannotReport = false;

  async function renew(): Promise<boolean> {
    const known = await lastKnown();
    isLeading = false;
    const knownRenewals = known?.renewals ?? 0;
    const answer = await leases.take({ name, holder, forMs: LEASE_MS, knownRenewals });
    judge(answer.is === "outdated" ? known ?? null : null);
    if (answer.is === "held") own = undefined;
    if (answer.is !== "taken") return false;
    isLeading = true;
    own = { renewals: answer.renewals, at: new Date() };
    void report(answer.renewals);
    return true;
  }

  /** A leader knows its own renewals: it continues while the broker is away, but not with a ledger that lacks them. */
  async function lastKnown(): Promise<LeaseRenewal | undefined> {
    if (own === undefined) return await lastRenewal();
    const reported = await lastRenewal().catch(() => undefined);
    return reported !== undefined && reported.renewals > own.renewals ? reported : own;
  }

  function judge(found: LeaseRenewal | null): void {
    const before = lacking;
    lacking = found;
    if (found !== null && !before) logger.warn(faultOf(found), {});
    if (found === null && before) logger.info("The ledger is current again", {});
  }

  async function report(renewals: number): Promise<void> {
    try {
      await reportRenewal(renewals);
      cannotReport = false;
    } catch (error) {
      // Mail goes on. Only a ledger that is restored now would not be detected.
      if (!cannotReport) logger.warn("Cannot report that a scheduler leads, retrying", { error });
      cannotReport = true;
    }
  }

  return {
    renew,
    assertCurrent() {
      if (lacking === undefined) throw new Error("The ledger was not checked yet");
      if (lacking !== null) throw new Error(faultOf(lacking));
    },
    async [Symbol.asyncDispose]() {
      // If the ledger cannot be informed, the lease expires by itself.
      if (isLeading) await leases.leave({ name, holder }).catch(() => undefined);
    },
  };
}

function faultOf({ at }: LeaseRenewal): string {
  return `Cannot act on the ledger: it lacks what happened until ${at.toISOString()}. If it was restored from a ` +
    'backup, stop every service and run "posthaste restored hold"';
}
