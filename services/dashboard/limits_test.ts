import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@posthaste/runtime";
import { CONFIG, reportedLimitsOf } from "./config.ts";
import { limitRows } from "./limits.ts";

const REQUIRED = {
  MONGODB_URL: "mongodb://127.0.0.1/posthaste",
  NATS_URL: "nats://127.0.0.1",
  SEALING_KEY: `test:${Buffer.alloc(32, 9).toString("base64")}`,
};

test("limitRows() shows the operator's settings, and the defaults of the rest", () => {
  const valuesOf = (env: Record<string, string>) => {
    const rows = limitRows(reportedLimitsOf(readConfig(CONFIG, { ...REQUIRED, ...env })));
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  };
  const standard = valuesOf({});
  assert.equal(standard["Body of a request"], "5 MB");
  assert.equal(standard["Recipients of a request"], "1,000");
  assert.equal(standard["Size of a PDF"], "10 MB");
  assert.equal(standard["Requests of a token"], "100 a second");
  const set = {
    ...{ BODY_LIMIT: "512KiB", MAX_RECIPIENTS: "50", MAX_ATTACHMENTS: "3" },
    PDF_LIMIT: "50MB",
  };
  assert.deepEqual(
    valuesOf({ ...set, MAIL_LIMIT: "40MB", RATE_LIMIT: "2000", RATE_WINDOW: "1m" }),
    {
      ...standard,
      "Body of a request": "512 KiB",
      "Recipients of a request": "50",
      "PDFs of a recipient": "3",
      "Size of a PDF": "50 MB",
      "Size of a mail": "40 MB",
      "Requests of a token": "2,000 in 1 m",
    },
  );
  assert.equal(valuesOf({ RATE_LIMIT: "0" })["Requests of a token"], "no limit");
});
