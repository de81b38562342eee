import { copyFields, envelopeOf, type Send } from "@posthaste/contracts";

/**
 * Returns the addresses by which a send is found that get copies of its mails; no field if there are none.
 */
export function copyFieldsOfSend(request: Send["request"]): { copies?: string[] } {
  const copies = request.to.flatMap((recipient) =>
    copyFields(envelopeOf(request, recipient), recipient.email).copies ?? []
  );
  return copies.length === 0 ? {} : { copies: [...new Set(copies)] };
}

/** Returns a request without copies to some addresses. */
export function withoutCopies(
  request: Send["request"],
  isGone: (address: string) => boolean,
): Send["request"] {
  const stripped = <T extends Pick<Send["request"], "cc" | "bcc">>(given: T): T => {
    const { cc, bcc } = given;
    return {
      ...given,
      // A list that became empty still replaces that of the send.
      ...(cc === undefined ? {} : { cc: cc.filter(({ email }) => !isGone(email)) }),
      ...(bcc === undefined ? {} : { bcc: bcc.filter(({ email }) => !isGone(email)) }),
    };
  };
  return { ...stripped(request), to: request.to.map(stripped) };
}
