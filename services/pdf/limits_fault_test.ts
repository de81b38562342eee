import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "@posthaste/runtime";
import { CONFIG } from "./config.ts";
import { limitsFault } from "./limits_fault.ts";

/** Returns the fault of the settings, as the service reads them. */
function faultOf(env: Record<string, string>): string | undefined {
  const { PDF_LIMIT, MAIL_LIMIT } = readConfig(CONFIG, { NATS_URL: "nats://127.0.0.1", ...env });
  return limitsFault({ pdf: PDF_LIMIT, mail: MAIL_LIMIT });
}

test("limitsFault() says which MAIL_LIMIT the largest PDF needs", () => {
  assert.equal(
    faultOf({ PDF_LIMIT: "25MB" }),
    "PDF_LIMIT is 25MB and MAIL_LIMIT is 25MB, but a PDF of 25MB has 34.2 MB in a mail: " +
      "such mails fail. Set MAIL_LIMIT of mailer, dashboard and pdf to 35MB, or lower PDF_LIMIT",
  );
  assert.match(
    faultOf({ PDF_LIMIT: "50MB", MAIL_LIMIT: "60MB" }) ?? "",
    / has 68\.4 MB .* to 69MB,/,
  );
});

test("limitsFault() accepts what the mailer can send", () => {
  assert.equal(faultOf({}), undefined);
  assert.equal(faultOf({ PDF_LIMIT: "18MB" }), undefined);
  assert.equal(faultOf({ PDF_LIMIT: "25MB", MAIL_LIMIT: "35MB" }), undefined);
  assert.equal(faultOf({ PDF_LIMIT: "50MB", MAIL_LIMIT: "69MB" }), undefined);
});

test("limitsFault() counts the line breaks of base64", () => {
  // 57 bytes are a line of 76 characters and two more.
  assert.equal(limitsFault({ pdf: 57_000_000, mail: 78_000_000 }), undefined);
  assert.notEqual(limitsFault({ pdf: 57_000_000, mail: 77_999_999 }), undefined);
  assert.notEqual(limitsFault({ pdf: 57_000_001, mail: 78_000_000 }), undefined);
});
