import type { FoundVariable } from "@posthaste/contracts";
import { isMjml } from "./is_mjml.ts";

/**
 * Returns where a template reads a variable: `subject, MJML`, or `MJML (first in line 4)`. A
 * subject, or the file name of a PDF, has only one line, so its line is left out. The line in a partial is left
 * out, too.
 */
export function whereRead(
  { usedIn, line, partial }: Pick<FoundVariable, "usedIn" | "line" | "partial">,
  { isEmail, html }: { isEmail: boolean; html: string },
): string {
  const names = {
    subject: isEmail ? "subject" : "file name",
    html: isMjml(html) ? "MJML" : "HTML",
    text: "text",
    invoice: "invoice XML",
  };
  // Of a PDF the line is always of the body, though the file name stands first.
  const first = partial !== undefined
    ? undefined
    : isEmail
    ? usedIn[0]
    : usedIn.find((part) => part === "html");
  return usedIn.map((part) =>
    part === first && part !== "subject" ? `${names[part]} (first in line ${line})` : names[part]
  ).join(", ");
}
