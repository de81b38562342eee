import { setting } from "./setting.ts";

/** Settings of the services that reach the database, the broker or both. */
export const CONNECTIONS = {
  MONGODB_URL: setting.url({ schemes: ["mongodb", "mongodb+srv"], secret: true })
    .describe("Where the database is; the path names it, posthaste if there is none"),
  NATS_URL: setting.url({ schemes: ["nats", "tls", "ws", "wss"], secret: true })
    .describe(
      "Where the broker is; tls:// insists on TLS, and ?ca=/file names whose certificates to trust",
    ),
};
