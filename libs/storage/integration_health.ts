import { failpoint } from "@posthaste/runtime";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { historian } from "./_integration_event.ts";
import type { IntegrationCircuit } from "./integration_circuit.ts";

/** A login that a server refused. */
export interface RefusedLogin extends Pick<CircuitFailure, "id" | "reason" | "now"> {
  /** How long the integration waits after the first refusal, in milliseconds. */
  retryMs: number;
}

/** A failure to reach an integration's server. */
export interface CircuitFailure {
  id: string;
  reason: string;
  now: Date;
  /** Returns the pause after a number of consecutive failures, in milliseconds; or 0. */
  pauseMs(failures: number): number;
}

/** The result of {@linkcode IntegrationHealth.countFailure}. */
export interface CountedFailure {
  /** The circuit as it is now. */
  circuit: IntegrationCircuit;
  /** Whether this failure opened a closed circuit. A failed probe opens none: it was not closed. */
  isOpened: boolean;
}

/** The mailers' common knowledge of servers that cannot be reached. */
export interface IntegrationHealth {
  /** Lists the circuits of integrations with failures. */
  list(): Promise<IntegrationCircuit[]>;
  /** Counts a failure, unless the circuit is open: of many at the same time, one opens it. */
  countFailure(failure: CircuitFailure): Promise<CountedFailure>;
  /**
   * Notes that a login was refused. After the first refusal nothing is tried for a while. Returns whether it
   * was refused again after that pause; mail that was in flight meanwhile does not count.
   */
  noteRefusedLogin(refusal: RefusedLogin): Promise<boolean>;
  /** Closes the circuit, after the server was reached or to try it again immediately. */
  close(id: string): Promise<void>;
}

/** Returns the operations on the health of integrations. */
export function integrationHealth(db: Db): IntegrationHealth {
  const { integrationHealth: circuits } = collectionsOf(db);
  const note = historian(db);

  /** Counts one more failure. Returns null if the circuit has changed since it was read. */
  async function replace(
    before: IntegrationCircuit | null,
    { id: _id, reason, now, pauseMs }: CircuitFailure,
  ): Promise<IntegrationCircuit | null> {
    const failures = (before?.failures ?? 0) + 1;
    const pause = pauseMs(failures);
    // In one write: a failure that is counted between two would make the pause longer.
    const $set = {
      ...{ failures, reason },
      openUntil: pause === 0 ? null : new Date(now.getTime() + pause),
    };
    if (before) {
      const { failures, openUntil } = before;
      const filter = { _id, failures, openUntil };
      return await circuits.findOneAndUpdate(filter, { $set }, { returnDocument: "after" });
    }
    try {
      await circuits.insertOne({ _id, ...$set });
      return { _id, ...$set };
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  return {
    list: () => circuits.find().toArray(),
    async countFailure(failure) {
      for (;;) {
        const before = await circuits.findOne({ _id: failure.id });
        if (before?.openUntil && before.openUntil > failure.now) {
          return { circuit: before, isOpened: false };
        }
        const circuit = await replace(before, failure);
        if (circuit === null) continue;
        failpoint("mailer.failure_counted");
        const isOpened = circuit.openUntil !== null && !before?.openUntil;
        const { now: at, reason } = failure;
        if (isOpened) await note(circuit._id, { type: "unreachable", at, reason });
        return { circuit, isOpened };
      }
    },
    async noteRefusedLogin({ id: _id, reason, now, retryMs }) {
      const openUntil = new Date(now.getTime() + retryMs);
      const isFirst = { $eq: [{ $type: "$loginRefusedAt" }, "missing"] };
      const $set = {
        reason: { $literal: reason },
        failures: { $ifNull: ["$failures", 0] },
        openUntil: { $cond: [isFirst, openUntil, "$openUntil"] },
        loginRefusedAt: { $ifNull: ["$loginRefusedAt", now] },
      };
      const options = { upsert: true, returnDocument: "before" } as const;
      const write = () => circuits.findOneAndUpdate({ _id }, [{ $set }], options);
      const before = await write().catch((error) => {
        // Another mailer wrote it a moment ago.
        if (isDuplicateKey(error)) return write();
        throw error;
      });
      const refusedAt = before?.loginRefusedAt;
      if (refusedAt !== undefined) return now.getTime() - refusedAt.getTime() >= retryMs;
      await note(_id, { type: "login_refused", at: now, reason });
      return false;
    },
    async close(_id) {
      const before = await circuits.findOneAndDelete({ _id });
      if (!before?.openUntil) return;
      await note(_id, {
        type: "reachable",
        at: new Date(),
        reason: before.loginRefusedAt
          ? "Its server accepts the login again"
          : "Its server is reachable again",
      });
    },
  };
}
