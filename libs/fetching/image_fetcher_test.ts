import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, before, suite, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { readNetworks } from "@posthaste/egress";
import { finiteFieldCiphers, testCertificate } from "@posthaste/kit";
import { PNG, serveImages } from "./_image_server.ts";
import { FetchError, type FetchFault } from "./fetch_error.ts";
import { type FetchImage, type ImageFetcherOptions, openImageFetcher } from "./image_fetcher.ts";

const OWNER = { owner: "acc_1" };

function fetcher(options: Partial<ImageFetcherOptions> = {}): FetchImage {
  return openImageFetcher({ allowed: readNetworks(["127.0.0.1"]), ...options });
}

function fails(url: string, fault: FetchFault, fetchImage = fetcher()): Promise<void> {
  const isSo = (error: unknown) => error instanceof FetchError && error.fault === fault;
  return assert.rejects(fetchImage(url, OWNER), isSo, `${url}: ${fault}`);
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

suite("openImageFetcher()", () => {
  const seen: IncomingMessage[] = [];
  let insideSeen = 0;
  const server = createServer((request, response) => {
    seen.push(request);
    serveImages(request, response);
  });
  // At another address of this machine, which is not allowed.
  const inside = createServer((_request, response) => {
    insideSeen++;
    response.end(PNG);
  });
  let at = "";

  before(async () => {
    server.listen(0, "127.0.0.1");
    inside.listen(0, "127.0.0.2");
    await Promise.all([once(server, "listening"), once(inside, "listening")]);
    at = `http://127.0.0.1:${portOf(server)}`;
  });
  after(() => {
    for (const one of [server, inside]) {
      one.closeAllConnections();
      one.close();
    }
  });

  test("fetchImage() returns an image and its type by its bytes, and sends no credentials", async () => {
    const fetchImage = fetcher();
    assert.deepEqual(await fetchImage(`${at}/a.png?b=c`, OWNER), { type: "image/png", bytes: PNG });
    assert.equal((await fetchImage(`${at}/svg`, OWNER)).type, "image/svg+xml");
    assert.equal(seen[0]?.url, "/a.png?b=c");
    const names = Object.keys(seen.at(-1)?.headers ?? {}).sort();
    assert.deepEqual(names, ["accept", "accept-encoding", "connection", "host", "user-agent"]);
  });

  test("fetchImage() refuses an image that its server declares as compressed", async () => {
    const server = createServer((_request, response) => {
      response.setHeader("content-encoding", "gzip");
      // Without decompression, the content is an image.
      response.end(PNG);
    });
    await using _closing = {
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
    };
    await once(server.listen(0, "127.0.0.1"), "listening");
    await fails(`http://127.0.0.1:${portOf(server)}/`, "unusable");
  });

  test("fetchImage() refuses internal addresses, however they are written", async () => {
    const hosts = [
      ...["127.0.0.2", "localhost", "2130706434", "0x7f.2", "017700000002", "[::ffff:127.0.0.2]"],
      ...["[::1]", "0.0.0.0", "169.254.169.254", "[64:ff9b::7f00:2]", "[2002:7f00:2::]"],
    ];
    const fetchImage = fetcher({ allowed: readNetworks([]) });
    for (const host of [...hosts, "10.0.0.1", "127.0.0.1"]) {
      await fails(`http://${host}:${portOf(inside)}/`, "forbidden", fetchImage);
      await fails(`http://${host}/latest/meta-data`, "forbidden", fetchImage);
    }
    assert.equal(insideSeen, 0);
  });

  test("fetchImage() refuses addresses that are no web addresses", async () => {
    const urls = ["file:///etc/passwd", "ftp://example.com/a.png", "data:image/png,x", "/a.png"];
    const named = `http://user:pass@127.0.0.1:${portOf(server)}/`;
    for (const url of [...urls, named, "javascript:1", "", `${at}/${"x".repeat(5000)}`]) {
      await fails(url, "forbidden");
    }
  });

  test("fetchImage() reaches only web ports, except in allowed networks", async () => {
    const lookup = () => Promise.resolve(["93.184.216.34"]);
    await fails("http://images.test:6379/", "forbidden", fetcher({ lookup }));
  });

  test("fetchImage() checks each redirect, and follows three", async () => {
    assert.equal((await fetcher()(`${at}/hop/3`, OWNER)).type, "image/png");
    await fails(`${at}/hop/4`, "refused");
    const targets = [`http://127.0.0.2:${portOf(inside)}/`, "file:///etc/passwd"];
    for (const target of [...targets, "http://169.254.169.254/", "//127.0.0.2/", "http://a@b/"]) {
      await fails(`${at}/to/${encodeURIComponent(target)}`, "forbidden");
    }
    assert.equal(insideSeen, 0);
  });

  test("fetchImage() connects to the checked address: a name that rebinds has no effect", async () => {
    let asked = 0;
    const lookup = () => Promise.resolve([asked++ === 0 ? "127.0.0.1" : "127.0.0.2"]);
    const fetchImage = fetcher({ lookup });
    await fetchImage(`http://rebinds.test:${portOf(server)}/a.png`, OWNER);
    assert.equal(asked, 1, "the connection does not look it up again");
    await fails(`http://rebinds.test:${portOf(inside)}/`, "forbidden", fetchImage);
    asked = 0;
    const back = encodeURIComponent(`http://rebinds.test:${portOf(inside)}/`);
    await fails(`http://rebinds.test:${portOf(server)}/to/${back}`, "forbidden", fetchImage);
    assert.equal(insideSeen, 0);
  });

  test("fetchImage() accepts only images, whatever type their servers send", async () => {
    for (const path of ["/text", "/gzip", "/entities"]) await fails(at + path, "unusable");
  });

  test("fetchImage() ends at its limits of bytes and pixels", async () => {
    const fetchImage = fetcher({ maxBytes: 300_000 });
    await fails(`${at}/endless`, "too_large", fetchImage);
    await fails(`${at}/huge`, "too_large", fetchImage);
  });

  for (const path of ["/drip", "/silent"]) {
    test(`fetchImage() ends "${path}" at its limit of time, and not before`, async ({ mock }) => {
      // Node.js supports it, but its types do not contain it yet.
      mock.timers.enable({ apis: ["AbortSignal.timeout" as "setTimeout"] });
      let hasEnded = false;
      const asked = once(server, "request");
      const fetching = fetcher({ timeLimitMs: 20_000 })(at + path, OWNER);
      const ended = fetching.catch((error) => error).finally(() => hasEnded = true);
      await asked;
      mock.timers.tick(19_999);
      await turn();
      assert.equal(hasEnded, false);
      mock.timers.tick(1);
      const error = await ended;
      assert.ok(error instanceof FetchError);
      assert.deepEqual([error.fault, error.reason], ["unavailable", "it took longer than 20 s"]);
    });
  }

  test("fetchImage() waits for a name no longer than for the image", async () => {
    const lookup = () => new Promise<never>(() => {});
    await fails("http://hangs.test/", "unavailable", fetcher({ timeLimitMs: 100, lookup }));
  });

  test("fetchImage() offers no key exchange whose size the server chooses", async () => {
    const offered = await finiteFieldCiphers((port) =>
      fetcher()(`https://127.0.0.1:${port}/a.png`, OWNER)
    );
    assert.deepEqual(offered, []);
  });

  test("fetchImage() distinguishes refusals from failures that may be temporary", async () => {
    for (const status of [404, 401, 204, 304]) await fails(`${at}/status/${status}`, "refused");
    for (const status of [500, 503, 429]) await fails(`${at}/status/${status}`, "unavailable");
    await fails(`${at}/cut`, "unavailable");
    const free = createTcpServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const closed = `http://127.0.0.1:${(free.address() as AddressInfo).port}/`;
    await new Promise((resolve) => free.close(resolve));
    await fails(closed, "unavailable");
  });

  test("fetchImage() checks certificates, for the name and not for the address", async () => {
    const { key, cert } = testCertificate;
    const tls = createTlsServer({ key, cert }, serveImages).listen(0, "127.0.0.1");
    await once(tls, "listening");
    try {
      const lookup = () => Promise.resolve(["127.0.0.1"]);
      const trusting = fetcher({ lookup, ca: cert });
      assert.equal((await trusting(`https://localhost:${portOf(tls)}/`, OWNER)).type, "image/png");
      await fails(`https://other.test:${portOf(tls)}/`, "unavailable", trusting);
      await fails(`https://localhost:${portOf(tls)}/`, "unavailable", fetcher({ lookup }));
    } finally {
      tls.closeAllConnections();
      tls.close();
    }
  });
});
