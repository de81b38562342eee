import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestApp } from "./_test_app.ts";

const SHOWN = "a".repeat(64);
const OTHER = "b".repeat(64);

function openApp(assetsUrl: string | undefined, loads: string[] = []) {
  return openTestApp({
    assets: {
      findShown: (sha256) => {
        loads.push(sha256);
        const bytes = Buffer.from("<svg/>");
        return Promise.resolve(
          sha256 === SHOWN
            ? { bytes, contentType: "image/svg+xml" }
            : sha256 === OTHER
            ? { bytes, contentType: "text/html" }
            : null,
        );
      },
    },
  }, { assetsUrl });
}

test("shownImageRoute() serves an image without a token, to be kept, and so that it runs nothing", async () => {
  const loads: string[] = [];
  await using api = openApp("https://mail.example", loads);
  for (const _ of [1, 2]) {
    const answer = await api.app.inject({ method: "GET", url: `/assets/${SHOWN}` });
    const { statusCode, headers, body } = answer;
    assert.deepEqual([statusCode, body], [200, "<svg/>"]);
    assert.equal(headers["content-type"], "image/svg+xml");
    assert.equal(headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
    assert.match(String(headers["content-security-policy"]), /default-src 'none';.*; sandbox$/);
  }
  assert.deepEqual(loads, [SHOWN]);
});

test("shownImageRoute() serves nothing else", async () => {
  await using api = openApp("https://mail.example");
  const paths = [OTHER, "c".repeat(64), SHOWN.toUpperCase(), "logo", `${SHOWN}.svg`, ""];
  for (const path of paths) {
    const { status, headers } = await api.get(`/assets/${path}`, { authorization: "" });
    assert.equal(status, 404, path);
    assert.equal(headers["cache-control"], "no-store");
  }
  await using without = openApp(undefined);
  assert.equal((await without.get(`/assets/${SHOWN}`)).status, 404);
});
