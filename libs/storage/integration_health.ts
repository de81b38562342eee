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

/** The mailers' common knowledge of servers that cannot be reached. */
export interface IntegrationHealth {
  /** Lists the circuits of integrations with failures. */
  list(): Promise<IntegrationCircuit[]>;
  /** Counts a failure, unless the circuit is open. Returns the circuit as it is now. */
  countFailure(note: CircuitFailure): Promise<IntegrationCircuit | null>;
  /**
   * Notes that a login was refused. After the first refusal nothing is tried for a while. Returns whether it
   * was refused again after that pause; mail that was in flight meanwhile does not count.
   */
  noteRefusedLogin(refusal: RefusedLogin): Promise<boolean>;
  /** Closes the circuit, after the server was reached or to try it again at once. */
  close(id: string): Promise<void>;
}

/** Returns the operations on the health of integrations. */
export function integrationHealth(db: Db): IntegrationHealth {
  const { integrationHealth: circuits } = collectionsOf(db);
  const note = historian(db);
  return {
    list: () => circuits.find().toArray(),
    async countFailure({ id: _id, reason, now, pauseMs }) {
      const counted = await circuits.findOneAndUpdate(
        { _id, $or: [{ openUntil: null }, { openUntil: { $lte: now } }] },
        { $inc: { failures: 1 }, $set: { reason }, $setOnInsert: { openUntil: null } },
        { upsert: true, returnDocument: "after" },
      ).catch((error) => {
        // It exists, and the circuit is open.
        if (isDuplicateKey(error)) return null;
        throw error;
      });
      if (counted === null) return await circuits.findOne({ _id });
      const pause = pauseMs(counted.failures);
      if (pause === 0) return counted;
      failpoint("mailer.failure_counted");
      const openUntil = new Date(now.getTime() + pause);
      await circuits.updateOne({ _id, failures: counted.failures }, { $set: { openUntil } });
      if (counted.openUntil === null) await note(_id, { type: "unreachable", at: now, reason });
      return { ...counted, openUntil };
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
