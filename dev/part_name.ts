/** The services, in the order in which they start; they stop in the reverse order. */
export const SERVICES = [
  "tracker",
  "mailer",
  "pdf",
  "renderer",
  "webhooks",
  "dashboard",
  "api",
] as const;

/** Name of a service. */
export type ServiceName = (typeof SERVICES)[number];

/** The services that mail goes through: it goes without the dashboard and the webhooks service. */
export const MAIL_SERVICES = SERVICES.filter((name) => name !== "dashboard" && name !== "webhooks");

/** Name of anything that runs as a process of its own. */
export type PartName = ServiceName | "inbox" | "nats" | "mongod";
