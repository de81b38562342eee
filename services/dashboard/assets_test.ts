import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import type { TokenScope } from "@posthaste/contracts";
import { testFont, testWoff2 } from "@posthaste/kit";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import { QUOTAS } from "./quotas.ts";

let dashboard: TestDashboard;
before(async () => {
  const quotas = { ...QUOTAS, assetBytes: 1000 };
  dashboard = await openTestDashboard({ options: { quotas } });
});
after(() => dashboard?.[Symbol.asyncDispose]());

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA2iEnWAAAAD0lEQVR4nGNgYGCA4P///wMAC/wC/RhmcYAAAAAASUVORK5CYII=",
  "base64",
);
const AS_PNG = { "content-type": "image/png" };
const AS_TEXT = { "content-type": "text/plain" };

async function program(scopes: TokenScope[] = ["manage:templates"], templates: number[] = []) {
  const { own, store } = dashboard;
  const base = { accountId: own.accountId, name: "CI", scopes };
  const { token } = await store.tokens.create({ ...base, limits: { templates } });
  return dashboard.program(token);
}

test("PUT /manage/v1/assets/{name} keeps a file, which GET returns as it was, and DELETE removes", async () => {
  const { own, store } = dashboard;
  const ci = await program();
  const path = "/manage/v1/assets/logo";
  const { status, body } = await ci.put(`${path}?alt=Our%20logo`, PNG, AS_PNG);
  assert.equal(status, 200);
  const sha256 = createHash("sha256").update(PNG).digest("hex");
  const { updatedAt, ...view } = body;
  assert.deepEqual(view, {
    ...{ name: "logo", filename: "logo.png", contentType: "image/png", size: PNG.length, sha256 },
    ...{ alt: "Our logo", width: 2, height: 3 },
  });
  assert.deepEqual((await ci.get(path)).body, { ...body, usedBy: [] });
  const list = (await ci.get("/manage/v1/assets")).body;
  assert.deepEqual(list, { assets: [body], bytes: PNG.length, maxBytes: 1000 });

  const content = await ci.get(`${path}/content`);
  assert.deepEqual([content.status, content.headers["content-type"]], [200, "image/png"]);
  assert.match(String(content.headers["content-security-policy"]), /sandbox/);
  assert.equal(content.headers["x-content-type-options"], "nosniff");
  assert.deepEqual(Buffer.from(await store.assets.find(own.accountId, sha256) ?? []), PNG);

  const changed = await ci.patch(path, { alt: "Logo", filename: "brand.png" });
  assert.deepEqual([changed.body.alt, changed.body.filename], ["Logo", "brand.png"]);
  const replaced = await ci.put(path, PNG, AS_PNG);
  assert.deepEqual([replaced.body.alt, replaced.body.filename], ["Logo", "brand.png"]);
  assert.ok(replaced.body.updatedAt >= updatedAt);

  assert.equal((await ci.delete(path)).status, 200);
  for (const gone of [path, `${path}/content`]) assert.equal((await ci.get(gone)).status, 404);
  assert.equal((await ci.delete(path)).status, 404);
  const lines = await store.audit.list(own.accountId, { limit: 4 });
  assert.deepEqual(lines.map(({ action }) => action), [
    ...["asset.removed", "asset.stored", "asset.described", "asset.stored"],
  ]);
  assert.match(lines[0]?.userEmail ?? "", /^token "CI"/);
  assert.deepEqual([lines[0]?.target, lines[0]?.details["bytes"]], ["file logo", PNG.length]);
});

test("PUT /api/assets/{name} refuses a wrong type, name, ending and body", async () => {
  const { own: { editor, viewer } } = dashboard;
  const put = (name: string, body: unknown, headers: Record<string, string>) =>
    editor.put(`/api/assets/${name}`, body, headers);
  const refused = [
    await put("a", Buffer.from("text"), AS_PNG),
    await put("a", PNG, { "content-type": "image/jpeg" }),
    await put("a", PNG, { "content-type": "multipart/form-data" }),
    await put("-a", PNG, AS_PNG),
    await put("a%2fb", PNG, AS_PNG),
    await put("a?filename=a.exe", Buffer.from("text"), AS_TEXT),
    await put("a?alt=a%0ab", PNG, AS_PNG),
    await put("a?other=1", PNG, AS_PNG),
    await put("a", {}, {}),
    await put("a", Buffer.alloc(0), AS_TEXT),
  ];
  for (const { status, body } of refused) {
    assert.deepEqual([status, body.code], [400, "invalid_request"], body.error);
  }
  const zipped = await put("a", PNG, { ...AS_PNG, "content-encoding": "gzip" });
  assert.equal(zipped.status, 415);
  const wrongRoute = await editor.post("/api/templates/email", PNG, AS_PNG);
  assert.deepEqual([wrongRoute.status, wrongRoute.body.code], [415, "unsupported_media_type"]);
  assert.equal((await viewer.put("/api/assets/a", PNG, AS_PNG)).status, 403);
  const limited = await program(["manage:templates"], [1]);
  assert.equal((await limited.put("/manage/v1/assets/a", PNG, AS_PNG)).status, 403);
  assert.equal((await viewer.get("/api/assets")).body.assets.length, 0);
});

test("PUT /api/assets/{name} refuses files beyond the account's limit, and counts a replaced one once", async () => {
  const { own: { editor }, foreign } = dashboard;
  const put = (name: string, size: number) =>
    editor.put(`/api/assets/${name}`, Buffer.alloc(size, "x"), AS_TEXT);
  assert.equal((await put("one", 600)).status, 200);
  const { status, body } = await put("two", 500);
  assert.deepEqual([status, body.code], [409, "conflict"]);
  assert.match(body.error, /would exceed 1KB together/);
  assert.equal((await put("one", 1000)).status, 200);
  const others = await foreign.editor.put("/api/assets/one", Buffer.alloc(600, "x"), AS_TEXT);
  assert.equal(others.status, 200);
  assert.equal((await editor.get("/api/assets")).body.bytes, 1000);
  assert.equal((await editor.delete("/api/assets/one")).status, 200);
});

test("PUT /api/assets/{name} stores an SVG image without its scripts", async () => {
  const { own: { editor } } = dashboard;
  const svg = Buffer.from(
    '<svg width="4" height="2"><script>alert(1)</script><path d="M0 0"/></svg>',
  );
  const { body } = await editor.put("/api/assets/mark", svg, { "content-type": "image/svg+xml" });
  assert.deepEqual([body.contentType, body.width, body.height], ["image/svg+xml", 4, 2]);
  const { text } = await editor.get("/api/assets/mark/content");
  assert.match(text, /<path d="M0 0"><\/path>/);
  assert.doesNotMatch(text, /script/);
  await editor.delete("/api/assets/mark");
});

test("PUT /api/assets/{name} keeps a font that browsers can use, and no other", async () => {
  await using fonts = await openTestDashboard();
  const { own: { editor } } = fonts;
  const [font, packed] = [testFont(), testWoff2()];
  const path = "/api/assets/brand";
  const { status, body } = await editor.put(path, font, { "content-type": "font/ttf" });
  assert.deepEqual([status, body.contentType, body.filename], [200, "font/ttf", "brand.ttf"]);
  const other = await editor.put(path, packed, { "content-type": "application/octet-stream" });
  assert.deepEqual([other.body.contentType, other.body.filename], ["font/woff2", "brand.woff2"]);
  const { headers } = await editor.get(`${path}/content`);
  assert.deepEqual([headers["content-type"], headers["x-content-type-options"]], [
    ...["font/woff2", "nosniff"],
  ]);
  assert.match(String(headers["content-disposition"]), /^attachment;/);
  assert.match(String(headers["content-security-policy"]), /^default-src 'none'.*sandbox$/);
  const damaged = await editor.put(path, font.subarray(0, 500), { "content-type": "font/ttf" });
  assert.deepEqual([damaged.status, damaged.body.code], [400, "invalid_request"]);
  assert.match(damaged.body.error, /is damaged/);
  await editor.delete(path);
});

test("files that replace others are limited, because the replaced ones stay stored for a time", async () => {
  let now = Date.now();
  const quotas = { ...QUOTAS, assetBytes: 1000 };
  await using limited = await openTestDashboard({ options: { quotas }, now: () => new Date(now) });
  const put = (text: string) =>
    limited.own.editor.put("/api/assets/terms", Buffer.from(text.padEnd(900)), AS_TEXT);
  assert.equal((await put("1")).status, 200);
  assert.equal((await put("2")).status, 200);
  // The same bytes are stored once.
  for (let again = 0; again < 3; again++) assert.equal((await put("2")).status, 200);
  const { status, body, headers } = await put("3");
  assert.deepEqual([status, body.code], [429, "too_many_requests"]);
  assert.match(body.error, /2KB a day/);
  assert.ok(Number(headers["retry-after"]) > 3600);
  const other = await limited.foreign.editor.put("/api/assets/terms", Buffer.from("x"), AS_TEXT);
  assert.equal(other.status, 200);
  now += 24 * 3_600_000;
  assert.equal((await put("3")).status, 200);
});
