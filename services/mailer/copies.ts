import { copiesOf, type CopyRefused } from "@posthaste/contracts";
import type { SmtpReply } from "@posthaste/smtp";
import type { ReadyMessage } from "./compose_message.ts";
import { judgeSmtpFailure } from "./smtp_verdict.ts";
import { toWireAddress } from "./wire_address.ts";

/** From this attempt on a mail goes without the copies that the server refuses temporarily. */
const LEAVES_COPIES_FROM = 3;

/** The copies of a mail, and the server's replies to them. */
export interface Copies {
  /** In the form of SMTP, each once. */
  readonly addresses: readonly string[];
  /** Records a copy that the server refuses. Returns whether the mail goes without it. */
  goesWithout(address: string, reply: SmtpReply): boolean;
  /** Returns the copies that the mail went without. */
  refused(): CopyRefused[];
}

/** The fields of a message that determine its copies. */
export type Copied = Pick<ReadyMessage, "envelope" | "to" | "attempt">;

/**
 * Returns the copies of a message. A mail goes without an address that is refused permanently. A temporary
 * refusal delays the mail for two attempts. A suppressed address is left out immediately.
 *
 * @param isSuppressed Returns whether an address is on the suppression list.
 * @throws {RangeError} If an address cannot be written.
 */
export function copiesFor(
  { envelope = {}, to, attempt }: Copied,
  isSuppressed: (address: string) => boolean = () => false,
): Copies {
  const { address: own } = toWireAddress(to.email);
  const given = new Map(
    copiesOf(envelope, to.email).map((email) => [toWireAddress(email).address, email]),
  );
  given.delete(own);
  const refused = new Map<string, CopyRefused>();
  for (const [address, email] of given) {
    if (!isSuppressed(email)) continue;
    given.delete(address);
    refused.set(address, { email, reply: {}, suppressed: true });
  }
  return {
    addresses: [...given.keys()],
    goesWithout(address, { text: response, code, enhanced }) {
      const reply = { code, response, ...(enhanced === undefined ? {} : { enhanced }) };
      refused.set(address, { email: given.get(address) ?? address, reply });
      const { kind } = judgeSmtpFailure({
        ...{ phase: "rcpt", fault: "reply", unknown: false, code },
        ...(enhanced === undefined ? {} : { enhanced }),
      });
      return kind === "fail" || kind === "defer" && attempt + 1 >= LEAVES_COPIES_FROM;
    },
    refused: () => [...refused.values()],
  };
}
