import {
  heldGuard,
  type LedgerAnswer,
  type LedgerRequest,
  outcomeGuard,
  type OutcomeState,
  type Register,
} from "@posthaste/delivery";
import type { AttemptOutcome, MessageIdentity, Store } from "@posthaste/storage";

/** An outcome that was written. */
export interface WrittenOutcome extends AttemptOutcome {
  messageId: string;
  attempt: number;
}

/** The registers and outcomes of messages in memory, by the protocol's own conditions. */
export type MemoryLedger =
  & Pick<Store, "registers">
  & {
    /** By `<message>/<n>`. */
    readonly inserted: Map<string, Register<AttemptOutcome>>;
    /** In the order of writing. */
    readonly written: WrittenOutcome[];
    /** Maximum wait for replies that owners of registers announce, in milliseconds. */
    readonly waits: number[];
    /** Called before each request: may answer instead, or throw. */
    intercept: (
      request: LedgerRequest<AttemptOutcome>,
    ) => LedgerAnswer<AttemptOutcome> | undefined;
  };

/** Opens an empty ledger. */
export function openMemoryLedger(): MemoryLedger {
  const last = new Map<string, { attempt: number; state: OutcomeState }>();
  const ledger: MemoryLedger = {
    inserted: new Map(),
    written: [],
    waits: [],
    intercept: () => undefined,
    registers: {
      find: (attempts) => {
        const found = attempts.flatMap(({ messageId, n }) => {
          const id = `${messageId}/${n}`;
          const register = ledger.inserted.get(id);
          return register === undefined ? [] : [[id, { register, isOver: false }] as const];
        });
        return Promise.resolve(new Map(found));
      },
      ledgerOf: (message, { waitMs } = {}) => ({
        perform: (request) => {
          if (
            request.op === "insertRegister" && "dot" in request.register && waitMs !== undefined
          ) {
            ledger.waits.push(waitMs);
          }
          // Asynchronously, as a database.
          return Promise.resolve().then(() =>
            ledger.intercept(request) ?? perform(message, request)
          );
        },
      }),
    },
  };

  function perform(
    { messageId }: MessageIdentity,
    request: LedgerRequest<AttemptOutcome>,
  ): LedgerAnswer<AttemptOutcome> {
    const known = last.get(messageId);
    const write = (attempt: number, outcome: AttemptOutcome, isFree: boolean) => {
      if (!isFree) return { type: "written" as const, isApplied: false };
      last.set(messageId, { attempt, state: outcome.state });
      ledger.written.push({ ...outcome, messageId, attempt });
      return { type: "written" as const, isApplied: true };
    };
    switch (request.op) {
      case "insertRegister": {
        const id = `${messageId}/${request.n}`;
        const register = ledger.inserted.get(id);
        if (register !== undefined) return { type: "existing", register };
        ledger.inserted.set(id, request.register);
        return { type: "inserted" };
      }
      case "writeOutcome": {
        const guard = outcomeGuard(request.n);
        const isFree = "insert" in guard
          ? known === undefined
          // It does not know anything from before its opening.
          : known === undefined || known.attempt === guard.attempt && known.state !== guard.not;
        return write(request.n, request.outcome, isFree);
      }
      case "replaceHeld": {
        const { attempt, state } = heldGuard(request.n);
        const isFree = known?.attempt === attempt && known.state === state;
        return write(request.n, request.outcome, isFree);
      }
      case "readMessage":
        return { type: "read", message: known };
      case "markSent": {
        const isFree = known?.attempt === request.attempt && known.state !== "sent";
        return write(request.attempt, request.outcome, isFree);
      }
    }
  }

  return ledger;
}
