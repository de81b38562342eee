import { once } from "node:events";
import process from "node:process";
import { runService, setting } from "@posthaste/runtime";
import { z } from "zod";
import { openInbox } from "./inbox/mod.ts";

// The inbox as a part of the stack: unlike `inbox/main.ts`, it ends with its parent.
await runService({
  name: "inbox",
  env: process.env,
  config: z.object({
    DATA_DIR: setting.text().describe("Folder for the mails"),
    SMTP_PORT: setting.port().describe("Port of the SMTP server"),
    WEB_PORT: setting.port().describe("Port of the page"),
  }),
  run: async ({ config, signal, logger, health }) => {
    await using inbox = await openInbox({
      dataDir: config.DATA_DIR,
      smtpPort: config.SMTP_PORT,
      webPort: config.WEB_PORT,
    });
    health.add("inbox", async () => {});
    logger.info("Listening", { smtpPort: inbox.smtpPort, webPort: inbox.webPort });
    if (!signal.aborted) await once(signal, "abort");
  },
});
