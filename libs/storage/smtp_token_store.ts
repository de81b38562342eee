import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import type { SmtpToken, SmtpTokenFailure, SmtpTokenState } from "./smtp_token.ts";

/** A claim to ask the provider. */
export interface SmtpTokenClaim {
  /** `_id` of the integration. */
  id: string;
  accountId: string;
  /** The version that was seen. */
  version: string | null;
  /** Random: one claim, not a process. */
  holder: string;
  /** How long the claim is valid, by the database's clock. */
  forMs: number;
}

/** The answer of a provider. */
export type SmtpTokenAnswer =
  & Pick<SmtpTokenClaim, "id" | "accountId" | "holder">
  & { version: string; revision: number; keptUntil: Date }
  & ({ token: SmtpToken } | { failure: SmtpTokenFailure });

/** The access tokens of integrations, shared by all mailers. */
export interface SmtpTokenStore {
  /** Finds the token of an integration, by its `_id`. */
  find(accountId: string, id: string): Promise<SmtpTokenState | null>;
  /**
   * Claims the right to ask the provider. Returns false if another mailer has it, or has got an answer since
   * the version that was seen.
   */
  claim(claim: SmtpTokenClaim): Promise<boolean>;
  /** Stores an answer and ends the claim. Returns false if the claim was lost: then nothing is stored. */
  save(answer: SmtpTokenAnswer): Promise<boolean>;
  /** Ends a claim without an answer. */
  release(claim: Pick<SmtpTokenClaim, "id" | "accountId" | "holder">): Promise<void>;
}

/** Longer than any claim. */
const UNANSWERED_KEPT_MS = 3_600_000;

/** Returns the operations on access tokens for SMTP servers. */
export function smtpTokenStore(db: Db): SmtpTokenStore {
  const { smtpTokens } = collectionsOf(db);
  return {
    find: (accountId, _id) => smtpTokens.findOne({ _id, accountId }),
    async claim({ id: _id, accountId, version, holder, forMs }) {
      const free = { $lte: [{ $ifNull: ["$lease.until", new Date(0)] }, "$$NOW"] };
      const $set = {
        lease: { holder, until: { $add: ["$$NOW", forMs] } },
        version: { $ifNull: ["$version", null] },
        keptUntil: { $max: ["$keptUntil", { $add: ["$$NOW", UNANSWERED_KEPT_MS] }] },
      };
      const claimed = [{ $set }];
      const filter = { _id, accountId, version, $expr: free };
      const { matchedCount } = await smtpTokens.updateOne(filter, claimed);
      if (matchedCount > 0 || version !== null) return matchedCount > 0;
      try {
        // Of a document that exists, this matches nothing.
        await smtpTokens.updateOne({ _id, accountId, "lease.holder": holder }, claimed, {
          upsert: true,
        });
        return true;
      } catch (error) {
        // Another mailer has claimed it.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async save({ id: _id, accountId, holder, version, revision, keptUntil, ...answer }) {
      const $set = { version, revision, keptUntil, ...answer };
      // A token stays valid if it cannot be renewed.
      const $unset = "token" in answer ? { lease: 1, failure: 1 } as const : { lease: 1 } as const;
      const filter = { _id, accountId, "lease.holder": holder };
      const { modifiedCount } = await smtpTokens.updateOne(filter, { $set, $unset });
      return modifiedCount === 1;
    },
    async release({ id: _id, accountId, holder }) {
      await smtpTokens.updateOne({ _id, accountId, "lease.holder": holder }, {
        $unset: { lease: 1 },
      });
    },
  };
}
