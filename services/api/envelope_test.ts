import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { openTestApp, SEND, smallSend } from "./_test_app.ts";
import { resolveFiles } from "./resolve_files.ts";
import { warningsOf } from "./send_warnings.ts";

test("sendRoute() keeps an envelope as given, and sends it to newer workers only", async () => {
  await using api = openTestApp();
  const own = { replyTo: [], headers: { "X-Order": "" }, listUnsubscribe: "" };
  const body = smallSend({
    ...{ replyTo: [{ email: "help@example.com" }], headers: { "X-Order": "1" } },
    to: [{ email: "jane@example.net", ...own }],
  });
  const answer = await api.post(SEND, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(api.sends[0]?.request, body);
  assert.equal(api.sends[0]?.eventVersion, 3);
  assert.ok(!("warnings" in answer.body));
  await api.post(SEND, smallSend());
  assert.ok(api.sends[1] && !("eventVersion" in api.sends[1]));
});

test("sendRoute() refuses a forbidden header with a code, beside other faults", async () => {
  await using api = openTestApp();
  const { status, body } = await api.post(SEND, smallSend({ headers: { From: "x@example.org" } }));
  assert.deepEqual([status, body.code], [400, "header_not_allowed"]);
  assert.deepEqual(body.issues, [{
    path: "headers.From",
    code: "header_not_allowed",
    message: "is not a header that may be set",
  }]);
  const both = await api.post(SEND, smallSend({ headers: { From: "x" }, replyTo: "x" }));
  assert.equal(both.body.code, "invalid_request");
});

test("sendRoute() limits the headers of a mail over its send and its recipient together", async () => {
  await using api = openTestApp();
  const many = (prefix: string, count: number, value = "1") =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`X-${prefix}${at}`, value]));
  const faultsOf = async (top: object, own: object) => {
    const to = [{ email: "jane@example.net", headers: own }];
    const { body } = await api.post(SEND, smallSend({ headers: top, to }));
    return (body.issues ?? []).map(({ path, code }: Record<string, string>) => `${path} ${code}`);
  };
  assert.deepEqual(await faultsOf(many("a", 20), many("a", 20)), []);
  assert.deepEqual(await faultsOf(many("a", 15), many("b", 6)), ["to.0.headers too_many"]);
  const long = "a".repeat(890);
  assert.deepEqual(await faultsOf(many("a", 4, long), many("b", 2, long)), [
    "to.0.headers too_long",
  ]);
});

test("sendRoute() warns if List-Unsubscribe is not signed, and again for the same key", async () => {
  await using api = openTestApp();
  const body = smallSend({ listUnsubscribe: { url: "https://example.com/u" } });
  const key = { "idempotency-key": "a" };
  const first = await api.post(SEND, body, key);
  assert.deepEqual(first.body.warnings.map(({ code }: { code: string }) => code), [
    "unsigned_unsubscribe",
  ]);
  assert.deepEqual((await api.post(SEND, body, key)).body, first.body);
  const mailto = smallSend({ listUnsubscribe: { mailto: "u@example.com" } });
  assert.ok(!("warnings" in (await api.post(SEND, mailto)).body));
});

test("warningsOf() does not warn about an integration that signs, though its key is not read", () => {
  const request = {
    from: { email: "shop@example.com" },
    to: [{ email: "jane@example.net", listUnsubscribe: { url: "https://example.com/u" } }],
  };
  const warned = (integration: Parameters<typeof warningsOf>[1]["integration"]) =>
    warningsOf(request, { integration, suppressed: [] });
  assert.deepEqual(warned({ dkim: null, signsFor: "example.com" }), []);
  assert.deepEqual(warned({ dkim: null, signsFor: null }), ["unsigned_unsubscribe"]);
});

test("sendRoute() accepts a thousand copies in a send, and treats a send with many as bulk", async () => {
  await using api = openTestApp();
  const mailboxes = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ email: `c${at}@example.net` }));
  const to = (count: number, own: object = {}) =>
    mailboxes(count).map((recipient) => ({ ...recipient, ...own }));
  const faultsOf = async (more: Record<string, unknown>) => {
    const { body } = await api.post(SEND, smallSend(more));
    return (body.issues ?? []).map(({ path, code }: Record<string, string>) => `${path} ${code}`);
  };
  const [cc, bcc] = [mailboxes(10), mailboxes(10)];
  assert.deepEqual(await faultsOf({ cc, bcc, to: to(50) }), []);
  assert.deepEqual(await faultsOf({ cc, bcc, to: [...to(50), ...to(1)] }), ["to too_many_copies"]);
  assert.deepEqual(await faultsOf({ cc, bcc, to: [...to(50), ...to(1, { cc: [], bcc: [] })] }), []);
  assert.deepEqual(await faultsOf({ cc: mailboxes(11) }), ["cc too_many"]);
  assert.deepEqual(await faultsOf({ to: to(1, { bcc: [{ email: "a@b" }] }) }), [
    "to.0.bcc.0.email bad_address",
  ]);
  await api.post(SEND, smallSend({ to: to(5, { cc: mailboxes(1) }) }));
  assert.equal(api.sends.at(-1)?.priority, "transactional");
  await api.post(SEND, smallSend({ to: to(5, { cc: mailboxes(2) }) }));
  assert.equal(api.sends.at(-1)?.priority, "bulk");
});

test("sendRoute() stores files before the send, and keeps only their hashes in the send", async () => {
  await using api = openTestApp();
  const terms = { content: "aGk=", filename: "terms.txt", contentType: "text/plain" };
  const { status, body } = await api.post(
    SEND,
    smallSend({
      attachments: [{ asset: "logo", contentId: "logo" }],
      to: [
        {
          email: "a@example.net",
          attachments: [terms, { id: "invoice", variables: { number: "1" } }],
        },
        { email: "b@example.net", attachments: [{ ...terms, filename: "b.txt" }] },
        { email: "c@example.net", attachments: [] },
      ],
    }),
  );
  assert.equal(status, 200, JSON.stringify(body));
  const sha256 = createHash("sha256").update("hi").digest("hex");
  const file = { sha256, size: 2, contentType: "text/plain" };
  const [send] = api.sends;
  assert.deepEqual(send?.request.to, [
    {
      email: "a@example.net",
      attachments: [{ id: 7, variables: { number: "1" } }],
      files: [{ ...file, filename: "terms.txt" }],
    },
    { email: "b@example.net", files: [{ ...file, filename: "b.txt" }] },
    { email: "c@example.net", attachments: [] },
  ]);
  const logo = { sha256: "ab".repeat(32), size: 5000, contentType: "image/png" };
  assert.deepEqual(send?.request.files, [{ ...logo, filename: "logo.png", contentId: "logo" }]);
  assert.equal(send?.eventVersion, 3);
  assert.deepEqual(
    api.kept.map(({ sha256, bytes }) => [sha256, bytes && Buffer.from(bytes).toString()]),
    [[logo.sha256, undefined], [sha256, "hi"]],
  );
});

test("sendRoute() refuses files that are missing, executable or too many, or repeat a contentId", async () => {
  await using api = openTestApp();
  const faultsOf = async (attachments: unknown, common?: unknown) => {
    const to = [{ email: "jane@example.net", attachments }];
    const more = common === undefined ? { to } : { to, attachments: common };
    const { body } = await api.post(SEND, smallSend(more));
    const [first = {}] = body.issues ?? [];
    return [body.code, first.path, first.code].join(" ");
  };
  const file = (filename: string) => ({
    id: null,
    content: "aGk=",
    filename,
    contentType: "text/plain",
  });
  assert.equal(
    await faultsOf([{ asset: "other" }]),
    "unknown_asset to.0.attachments.0.asset unknown_asset",
  );
  assert.equal(
    await faultsOf([file("a.exe")]),
    "attachment_not_allowed to.0.attachments.0.filename attachment_not_allowed",
  );
  const logo = [{ asset: "logo", contentId: "logo" }];
  assert.equal(await faultsOf(logo, logo), "invalid_request to.0.attachments repeated_field");
  assert.equal(
    await faultsOf(Array(11).fill(file("a.txt"))),
    "invalid_request to.0.attachments too_many",
  );
  assert.equal(
    await faultsOf([], Array(11).fill(file("a.txt"))),
    "invalid_request attachments too_many",
  );
  assert.deepEqual(api.kept, []);
});

test("resolveFiles() refuses files of a mail that are too large together", async () => {
  const big = (name: string) => ({ name, sha256: name.repeat(64), size: 9_000_000 });
  const find = (name: string) =>
    Promise.resolve({
      ...{ ...big(name), accountId: "acc_1", filename: "a.pdf", contentType: "application/pdf" },
      updatedAt: new Date(0),
    });
  const to = [{ attachments: [{ asset: "a" }] }, {}];
  const two = await resolveFiles({ attachments: [{ asset: "b" }], to }, find);
  assert.deepEqual(two.faults, []);
  const withImage = await resolveFiles({ attachments: [{ asset: "b" }], to }, find, {
    images: [{ size: 2_000_000 }],
  });
  assert.deepEqual(withImage.faults.map(({ path }) => path), ["to.0.attachments"]);
  const three = await resolveFiles({ attachments: [{ asset: "b" }, { asset: "c" }], to }, find);
  assert.deepEqual(three.faults.map(({ path, code }) => [path, code]), [
    ["to.0.attachments", "too_long"],
  ]);
});

test("resolveFiles() takes a time that grows with the bytes of files of one length alone", async () => {
  const bodies = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, at) => ({
      attachments: [{ content: `${"A".repeat(16_384)}${at}`, filename: "a", contentType: "a/a" }],
    })));
  const resolve = (text: string) => {
    // Not measured: so many bytes of garbage may have to be collected in one of a few runs.
    const to = JSON.parse(text);
    return () => resolveFiles({ to }, () => Promise.resolve(null));
  };
  const ratio = await cpuRatio(resolve(bodies(1280)), resolve(bodies(40)), { runs: 3, below: 150 });
  // Linear is about 32. It was 640 when files were looked up by their content.
  assert.ok(ratio < 150, `${ratio} times`);
});
