import type { StorePart } from "@posthaste/storage";
import type { AttemptKey, Flow } from "./flow.ts";

/**
 * Returns the attempts that no process has begun or ended. The flow forgets the others: the ledger knows them. A
 * message that was canceled while it waited takes no work and no place of the window.
 */
export async function withoutRegister<T extends AttemptKey>(
  attempts: readonly T[],
  { flow, registers: { find } }:
    & { flow: Pick<Flow, "release" | "wake"> }
    & StorePart<"registers.find">,
): Promise<T[]> {
  if (attempts.length === 0) return [];
  const registers = await find(
    attempts.map(({ messageId, attempt }) => ({ messageId, n: attempt + 1 })),
  );
  const isTaken = ({ messageId, attempt }: AttemptKey) =>
    registers.has(`${messageId}/${attempt + 1}`);
  const taken = attempts.filter(isTaken);
  for (const attempt of taken) flow.release(attempt);
  // There is capacity left for those behind.
  if (taken.length > 0) flow.wake();
  return attempts.filter((attempt) => !isTaken(attempt));
}
