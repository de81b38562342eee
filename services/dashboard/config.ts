import { CONNECTIONS, setting } from "@posthaste/runtime";
import { z } from "zod";

/** Settings of the dashboard, beside those that every service has. */
export const CONFIG = z.object({
  PORT: setting.port().prefault("8081").describe("Port of the dashboard"),
  HOST: setting.text().prefault("0.0.0.0").describe("Address of the dashboard"),
  ...CONNECTIONS,
  PUBLIC_URL: setting.url({ schemes: ["http", "https"] }).prefault("http://localhost:8081")
    .describe("Where people open the dashboard; changes are taken from pages of this origin only"),
  API_URL: setting.url({ schemes: ["http", "https"] }).prefault("http://localhost:8080/v1")
    .describe("Base of the HTTP interface, as it stands in the examples that people copy"),
  MASTER_KEY: setting.text({ secret: true })
    .describe("Keys that SMTP passwords are sealed under, the first for new ones"),
  SETUP_CODE: setting.text({ secret: true }).optional()
    .describe("Asked for where the first account is made; drawn and logged when not set"),
  SESSION_AGE: setting.duration({ min: 60_000 }).prefault("14d")
    .describe("Time without a visit after which a browser is signed out"),
  DEMO_ACCOUNT: setting.text().optional()
    .describe(
      "For development only: name of the account that anybody may enter with one click; " +
        "HOST and PUBLIC_URL must then be of this machine",
    ),
}).superRefine(({ DEMO_ACCOUNT, HOST, PUBLIC_URL }, { addIssue }) => {
  if (DEMO_ACCOUNT === undefined) return;
  // Whoever reaches the port enters: what a browser may not do across origins, any other program may.
  for (const [setting, host] of [["HOST", HOST], ["PUBLIC_URL", new URL(PUBLIC_URL).hostname]]) {
    if (isThisMachine(`${host}`)) continue;
    const message = `${setting} must be of this machine alone, such as localhost`;
    addIssue({ code: "custom", path: ["DEMO_ACCOUNT"], message });
  }
});

function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host);
}

/** Settings of the dashboard, as read. */
export type Config = z.infer<typeof CONFIG>;
