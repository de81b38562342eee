import { lookOfMessage } from "../messages/message_look.ts";

const COUNTED = ["sent", "failed", "deferred", "unknown"] as const;

/** The counts of mail, in the order of the chart's stack. A deferral is an attempt, not a message. */
export const MAIL_SERIES = COUNTED.map((name) => {
  const { label, color } = lookOfMessage(name);
  return { name, label: name === "deferred" ? "Deferrals" : label, color: `${color}.6` };
});
