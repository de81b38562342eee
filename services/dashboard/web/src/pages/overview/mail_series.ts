import { lookOfMessage } from "../messages/message_look.ts";

const COUNTED = ["sent", "failed", "unknown", "deferred"] as const;

/**
 * The counts of mail, in the order of the chart. A message can have many deferrals, which are attempts: they
 * are not stacked on the messages, but have a bar of their own.
 */
export const MAIL_SERIES = COUNTED.map((name) => {
  const { label, color } = lookOfMessage(name);
  const isOfAttempts = name === "deferred";
  return {
    ...{ name, label: isOfAttempts ? "Deferrals" : label, color: `${color}.6` },
    stackId: isOfAttempts ? "attempts" : "messages",
  };
});
