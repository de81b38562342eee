import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gzipSync } from "node:zlib";
import { fastify, type FastifyInstance } from "fastify";
import { handleErrors } from "@posthaste/http";
import { DASHBOARD_ERRORS } from "./http_error.ts";
import { serveApplication } from "./static_files.ts";

const SCRIPT = "console.log('the application');".repeat(100);
let folder: string;
let app: FastifyInstance;
let port: number;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthaste-dist-"));
  const dist = join(folder, "dist");
  await mkdir(join(dist, "assets"), { recursive: true });
  await writeFile(join(folder, "secret.txt"), "a secret");
  await writeFile(join(dist, ".sources"), "a fingerprint");
  await writeFile(join(dist, "index.html"), "<!doctype html><title>The page</title>");
  await writeFile(join(dist, "icon.svg"), "<svg/>");
  await writeFile(join(dist, "assets", "index-1a2b.js"), SCRIPT);
  await writeFile(join(dist, "assets", "index-1a2b.js.br"), brotliCompressSync(SCRIPT));
  await writeFile(join(dist, "assets", "index-1a2b.js.gz"), gzipSync(SCRIPT));
  await writeFile(join(dist, "assets", "small-3c4d.js"), "0");
  await utimes(join(dist, "index.html"), 1e9, 1e9);
  app = fastify();
  handleErrors(app, { errors: DASHBOARD_ERRORS, logger: { error() {} } });
  serveApplication(app, { folder: dist, publicUrl: "https://posthaste.example" });
  await app.listen({ port: 0, host: "127.0.0.1" });
  port = (app.server.address() as AddressInfo).port;
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

/** Requests a path exactly as given: `fetch` would normalize it. */
async function ask(path: string, options: { method?: string; headers?: object } = {}) {
  const { method = "GET", headers = {} } = options;
  const asking = request({ host: "127.0.0.1", port, path, method, headers: { ...headers } });
  const answered = new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    asking.once("response", resolve).once("error", reject);
  });
  asking.end();
  const answer = await answered;
  const chunks = await answer.toArray() as Buffer[];
  const bytes = Buffer.concat(chunks);
  return { status: answer.statusCode, headers: answer.headers, bytes, body: `${bytes}` };
}

test("serveApplication() returns the page, to be revalidated each time, for every address of a page", async () => {
  for (const path of ["/", "/messages", "/messages/msg_1/mail", "/email-templates/1?tab=history"]) {
    const { status, headers, body } = await ask(path);
    assert.equal(status, 200, path);
    assert.match(body, /The page/);
    assert.equal(headers["cache-control"], "no-cache");
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
  }
});

test("serveApplication() lets browsers cache hashed files for ever, compressed as they accept", async () => {
  const path = "/assets/index-1a2b.js";
  const plain = await ask(path);
  assert.equal(plain.body, SCRIPT);
  assert.equal(plain.headers["content-encoding"], undefined);
  assert.equal(plain.headers["content-type"], "application/javascript; charset=utf-8");
  for (
    const [accepted, encoding] of [["gzip, deflate, br, zstd", "br"], ["gzip", "gzip"]] as const
  ) {
    const { status, headers, bytes } = await ask(path, {
      headers: { "accept-encoding": accepted },
    });
    assert.equal(status, 200);
    assert.equal(headers["content-encoding"], encoding);
    assert.equal(headers["content-type"], "application/javascript; charset=utf-8");
    assert.match(`${headers.vary}`, /accept-encoding/i);
    assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
    if (encoding === "br") assert.equal(`${brotliDecompressSync(bytes)}`, SCRIPT);
  }
  const small = await ask("/assets/small-3c4d.js", { headers: { "accept-encoding": "br" } });
  assert.deepEqual([small.headers["content-encoding"], small.body], [undefined, "0"]);
  assert.equal((await ask("/icon.svg")).headers["cache-control"], "no-cache");
});

test("serveApplication() answers 404 for missing files, and never the page", async () => {
  for (
    const path of [
      ...["/assets/index-0000.js", "/assets/", "/assets/index-1a2b", "/nothing.js"],
      ...[
        "/api/nothing",
        "/assets/index-1a2b.js.br",
        "/.sources",
        "/assets/.sources",
        "/.git/HEAD",
      ],
      ...["/x/.env", "/index.html/", "/assets/small-3c4d.js/x"],
    ]
  ) {
    const { status, body } = await ask(path);
    assert.doesNotMatch(body, /The page|fingerprint|index-1a2b/, path);
    assert.equal(status, 404, `${path}: ${body}`);
  }
});

test("serveApplication() serves nothing outside of its folder", async () => {
  for (
    const path of [
      ...["/../secret.txt", "/assets/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt"],
      ...["/assets/%2e%2e/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt", "//secret.txt"],
      ...["/..%5csecret.txt", "/assets/%252e%252e/%252e%252e/secret.txt", "/%00secret.txt"],
      ...["/....//secret.txt", "/.%00./secret.txt", "/assets/..;/..;/secret.txt", "/%c0%ae%c0%ae/"],
      ...["/../dist/../secret.txt", `/${join(folder, "secret.txt")}`, "/%E0%A4%A.txt"],
      ...["/assets/../.sources", "/./.sources", "//.sources", "/%2esources"],
    ]
  ) {
    const { status, body } = await ask(path);
    assert.doesNotMatch(body, /a secret|fingerprint|posthaste-dist/, path);
    assert.ok(status === 400 || status === 404, `${path}: ${status} ${body}`);
  }
});

test("serveApplication() answers HEAD like GET, without a body", async () => {
  for (const path of ["/", "/assets/index-1a2b.js", "/assets/none.js"]) {
    const [got, head] = await Promise.all([ask(path), ask(path, { method: "HEAD" })]);
    assert.equal(head.status, got.status);
    assert.equal(head.body, "");
    for (const name of ["content-length", "content-type", "cache-control", "etag"] as const) {
      assert.equal(head.headers[name], got.headers[name], `${path} ${name}`);
    }
  }
});

test("serveApplication() does not send again what the browser has", async () => {
  const { headers } = await ask("/");
  assert.ok(headers.etag && headers["last-modified"]);
  for (
    const condition of [
      { "if-none-match": headers.etag },
      { "if-modified-since": headers["last-modified"] },
    ]
  ) {
    const again = await ask("/messages", { headers: condition });
    assert.deepEqual([again.status, again.body], [304, ""]);
    assert.ok(again.headers["content-security-policy"]);
  }
  assert.equal((await ask("/", { headers: { "if-none-match": '"other"' } })).status, 200);
});

test("serveApplication() adds the page's policy to every answer", async () => {
  for (const path of ["/", "/icon.svg", "/assets/index-1a2b.js"]) {
    const { headers } = await ask(path);
    const policy = `${headers["content-security-policy"]}`;
    assert.match(policy, /default-src 'none'; script-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /script-src[^;]*(unsafe|http|\*)/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.equal(headers["strict-transport-security"], "max-age=31536000");
  }
});

test("serveApplication() reports what to do if there is no build", () => {
  assert.throws(
    () => serveApplication(fastify(), { folder: "/nowhere", publicUrl: "http://localhost" }),
    /has no build; run npm run build/,
  );
});
