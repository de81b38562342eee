import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { nightly, openSmtpSink } from "@posthaste/kit";
import { manageTemplates } from "./manage_templates.ts";
import { pngOf } from "./png_of.ts";
import { readMail } from "./read_mail.ts";
import { openSystem } from "./system.ts";

nightly("services/api/shown_image_test.ts", "tests/e2e/asset_test.ts");

/** Nothing loads from there: a mail only names it. */
const BASE = "http://images.example";
const LOGO = pngOf(40, 30);
const SHA256 = createHash("sha256").update(LOGO).digest("hex");

test("with a public base, mails show images from there, and nothing else is there", async () => {
  await using sink = await openSmtpSink();
  const env = { ASSETS_URL: BASE };
  await using shown = await openSystem({
    ...{ dashboard: true, webhooks: false, settings: { renderer: env, api: env } },
  });
  const sending = await shown.connect(sink.port);
  const manager = await manageTemplates(shown);
  await manager.put("logo", LOGO, "image/png");
  const hidden = await manager.put("hidden", pngOf(3, 3), "image/png");
  const file = await manager.put("terms", Buffer.from("<p>Terms"), "text/html");
  const html = '<img src="{{asset "logo"}}" alt="Shop">';
  const template = await manager.publish("email", { subject: "By URL", html, text: "" });
  const printed = await manager.put("printed", pngOf(4, 4), "image/png");
  const pdf = '<img src="{{asset "printed"}}" alt="">';
  await manager.publish("pdf", { filename: "a.pdf", html: pdf });
  const to = [{ email: "c@asset.example" }];
  const accepted = await shown.send({
    ...{ template, integration: sending, to, attachments: [{ asset: "terms" }] },
  });
  await shown.untilDone(accepted.id);
  const [message, ...others] = sink.messages;
  assert.ok(message && others.length === 0);
  for (const { html, attachments } of await readMail(message)) {
    assert.ok(html.includes(`src="${BASE}/assets/${SHA256}"`), html);
    assert.deepEqual(attachments.map(({ filename }) => filename), ["terms"]);
  }
  const api = shown.stack.apiUrl.replace(/\/v1$/, "");
  const image = await fetch(`${api}/assets/${SHA256}`);
  assert.deepEqual(Buffer.from(await image.arrayBuffer()), LOGO);
  const { status, headers } = image;
  assert.deepEqual([status, headers.get("content-type")], [200, "image/png"]);
  assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none';.*; sandbox$/);
  assert.equal(headers.get("set-cookie"), null);
  for (const path of ["", hidden, file, printed, "logo", `${SHA256}/`, "f".repeat(64)]) {
    const other = await fetch(`${api}/assets/${path}`);
    assert.equal(other.status, 404, path);
    assert.equal(other.headers.get("cache-control"), "no-store");
  }
});
