import { setting } from "./setting.ts";

/** Settings of the services that reach the database, the broker or both. */
export const CONNECTIONS = {
  MONGODB_URL: setting.url({ schemes: ["mongodb", "mongodb+srv"], secret: true })
    .describe("URL of the database; the path is its name, posthaste when empty"),
  NATS_URL: setting.url({ schemes: ["nats", "tls", "ws", "wss"], secret: true })
    .describe(
      "URL of the broker; tls:// requires TLS, and ?ca=/file sets the trusted certificate authority",
    ),
};
