import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { sendRequestSchema } from "@posthaste/contracts";
import { demoCommand } from "./demo_request.ts";
import { summaryText } from "./summary.ts";

const request = {
  apiUrl: "http://127.0.0.1:8080/v1",
  token: `ph_${"a".repeat(49)}`,
  integrationId: 3,
  invoiceId: 2,
  sender: "billing@northwind.example",
};

test("demoCommand() comes through a shell as one valid request", () => {
  // A shell function replaces curl and prints its arguments.
  const script = `curl() { printf '%s\\0' "$@"; }\n${demoCommand(request)}`;
  const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
  const [url, , token, , type, , body = ""] = stdout.split("\0");
  assert.equal(url, "http://127.0.0.1:8080/v1/templates/welcome/send/3");
  assert.equal(token, `Authorization: Bearer ${request.token}`);
  assert.equal(type, "Content-Type: application/json");
  const { from, to } = sendRequestSchema().parse(JSON.parse(body));
  assert.equal(from.email, request.sender);
  assert.deepEqual(to.map(({ attachments }) => attachments?.map(({ id }) => id)), [[2]]);
});

test("summaryText() fits into 80 columns and hides passwords", () => {
  const text = summaryText({
    seconds: 4.21,
    request,
    inboxUrl: "http://127.0.0.1:8025",
    dashboardUrl: "http://localhost:8081",
    smtpPort: 1025,
    mongodbUrl: "mongodb://ann:secret@db.example:27017/?replicaSet=rs0",
    natsUrl: "nats://127.0.0.1:14222",
    dataDir: ".posthaste",
    account: "Demonstration",
    templates: [{ kind: "email", id: 1, alias: "welcome" }, {
      kind: "pdf",
      id: 2,
      alias: "invoice",
    }],
  }, (_colour, text) => text);
  for (const line of text.split("\n")) assert.ok(line.length <= 80, line);
  assert.doesNotMatch(text, /secret/);
  assert.match(text, /Templates {4}email: 1 welcome\n {15}PDF: 2 invoice\n/);
});
