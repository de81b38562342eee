import type { SuppressionView } from "../../../../interface/suppressions.ts";

/** Returns why an address gets no mail: `A server refused it (550 5.1.1)`. */
export function reasonText({ reason, reply }: Pick<SuppressionView, "reason" | "reply">): string {
  switch (reason) {
    case "hard_refusal":
      return reply === null ? "A server refused it" : `A server refused it (${reply})`;
    case "manual":
      return "Added by hand";
    case "import":
      return "Imported";
    case "complaint":
      return "The recipient complained";
  }
}
