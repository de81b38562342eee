import assert from "node:assert/strict";
import { test } from "node:test";
import type { TemplateRead } from "@posthaste/contracts";
import { emailVersion, openTestApp, pdfVersion, SEND, smallSend } from "./_test_app.ts";

const read = (path: string, always = true): TemplateRead => ({ path, uses: ["printed"], always });
const reads = [read("name"), read("customer.name"), read("note", false), read("lines[].x")];
const openWithReads = (email: TemplateRead[] | undefined = reads, pdf: TemplateRead[] = []) =>
  openTestApp({
    versions: {
      latestEmailVersion: () => Promise.resolve({ ...emailVersion(), reads: email }),
      latestPdfVersion: () => Promise.resolve({ ...pdfVersion(), reads: pdf }),
    },
  });

test("render refuses an object or array that every branch prints as text", async () => {
  await using api = openWithReads();
  for (const name of [{ a: 1 }, ["a"], []]) {
    const { status, body } = await api.post("/v1/templates/5/render", { name });
    assert.deepEqual([status, body.code], [400, "unprintable_variable"]);
    assert.deepEqual(body.issues.map(({ path, code }: Record<string, string>) => [path, code]), [
      ["name", "unprintable_variable"],
    ]);
  }
  const { body } = await api.post("/v1/templates/5/render", { customer: { name: {} }, name: "x" });
  assert.deepEqual(body.issues.map(({ path }: { path: string }) => path), ["customer.name"]);
  const fine = { name: 5, customer: { name: null }, note: {}, lines: [{ x: {} }], other: [] };
  assert.equal((await api.post("/v1/templates/5/render", fine)).status, 200);
});

test("send names the recipients that would get an object as text, by the level that it comes from", async () => {
  await using api = openWithReads(reads, [read("number")]);
  const to = [
    { email: "a@example.net" },
    {
      email: "b@example.net",
      variables: { name: "B" },
      attachments: [{ id: 7, variables: { number: [1] } }],
    },
  ];
  const { status, body } = await api.post(SEND, smallSend({ to, variables: { name: {} } }));
  assert.deepEqual([status, body.code], [400, "unprintable_variable"]);
  assert.deepEqual(body.issues.map(({ path }: { path: string }) => path), [
    "to.0.variables.name",
    "to.1.attachments.0.variables.number",
  ]);
  assert.equal(api.sends.length, 0);
});

test("a version without a record of what it reads is accepted as before", async () => {
  await using api = openTestApp();
  assert.equal((await api.post("/v1/templates/5/render", { name: {} })).status, 200);
});
