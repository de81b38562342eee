import { type FetchedImage, FetchError, type FetchFault } from "@posthaste/fetching";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openRemoteImages } from "./remote_images.ts";

const PIXEL: FetchedImage = { type: "image/gif", bytes: Buffer.from("GIF89a") };
const DATA = `data:image/gif;base64,${PIXEL.bytes.toString("base64")}`;

function request(html: string, changes: { accountId?: string; leaveOut?: boolean } = {}) {
  return { accountId: "acc_1", messageId: "m", html, leaveOut: false, ...changes };
}

function failing(fault: FetchFault, reason = "it is so") {
  return (url: string) => Promise.reject(new FetchError(url, { fault, reason }));
}

test("inline() fetches each image once and embeds it wherever it is named", async () => {
  const asked: string[] = [];
  const images = openRemoteImages({
    places: 1,
    fetchImage: (url) => {
      asked.push(url);
      return Promise.resolve(PIXEL);
    },
  });
  const html = `<img src="http://a/1"><p style="background:url(http://a/1)"><img src=http://a/2>`;
  const inlined = {
    type: "done",
    html: `<img src="${DATA}"><p style="background:url(&quot;${DATA}&quot;)"><img src="${DATA}">`,
  };
  assert.deepEqual(await images.inline(request(html)), inlined);
  assert.deepEqual(await images.inline(request(html)), inlined);
  assert.deepEqual(asked, ["http://a/1", "http://a/2"]);
  await images.inline(request(html, { accountId: "acc_2" }));
  assert.equal(asked.length, 4, "what one account has fetched another cannot tell");
});

test("inline() lists failed images, and leaves them out only on request", async () => {
  const images = openRemoteImages({ places: 1, fetchImage: failing("forbidden") });
  const html = `<img src="http://a/1"><img src="http://a/2">`;
  assert.deepEqual(await images.inline(request(html)), {
    type: "failed",
    reason: "its images could not be loaded: http://a/1 (it is so), http://a/2 (it is so)",
  });
  assert.deepEqual(await images.inline(request(html, { leaveOut: true })), { type: "done", html });
});

test("inline() tries a temporary failure three times", async () => {
  const images = openRemoteImages({ places: 1, fetchImage: failing("unavailable") });
  const html = `<img src="http://a/1">`;
  assert.deepEqual(await images.inline(request(html)), { type: "later", afterMs: 15_000 });
  assert.deepEqual(await images.inline(request(html)), { type: "later", afterMs: 60_000 });
  assert.equal((await images.inline(request(html))).type, "failed");
});

test("inline() lets one document of an account wait, and never fills every slot", async () => {
  const { promise, resolve } = Promise.withResolvers<FetchedImage>();
  const images = openRemoteImages({ places: 2, fetchImage: () => promise });
  const html = `<img src="http://slow/1">`;
  const first = images.inline(request(html));
  const later = { type: "later", afterMs: 2_000 };
  assert.deepEqual(await images.inline(request(html)), later);
  const second = images.inline(request(html, { accountId: "acc_2" }));
  assert.deepEqual(await images.inline(request(html, { accountId: "acc_3" })), later);
  assert.equal((await images.inline(request("<p>no images", { accountId: "acc_3" }))).type, "done");
  resolve(PIXEL);
  assert.deepEqual((await Promise.all([first, second])).map(({ type }) => type), ["done", "done"]);
  assert.equal((await images.inline(request(html, { accountId: "acc_3" }))).type, "done");
});

test("inline() refuses a document that grows too large", async () => {
  const bytes = Buffer.alloc(1_000_000);
  const images = openRemoteImages({
    places: 1,
    fetchImage: () => Promise.resolve({ type: "image/png", bytes }),
  });
  assert.deepEqual(await images.inline(request(`<img src="http://a/1">`.repeat(4))), {
    type: "failed",
    reason: "with its images it has more than 4 MB",
  });
  const many = Array.from({ length: 51 }, (_, n) => `<img src="http://a/${n}">`).join("");
  assert.equal((await images.inline(request(many))).type, "failed");
});
