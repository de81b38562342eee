import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOptionsSchema } from "@posthaste/contracts";
import { openStore, type Publication } from "@posthaste/storage";
import { openSandbox } from "@posthaste/templating";
import { openTestMongo } from "@posthaste/kit";
import { noteReads } from "./note_reads.ts";

const base = { accountId: "acc_1", name: "T", variables: [], sourceHash: "x" };
const parts = { subject: "{{a}}", html: "{{#if b}}{{c}}{{/if}}", text: "" };

test("noteReads() notes once what earlier versions read", async () => {
  await using mongo = await openTestMongo();
  await using store = await openStore({ url: mongo.url });
  await store.ensureIndexes();
  await using sandbox = openSandbox({ workers: 1 });
  const pdf: Publication = {
    ...{ ...base, kind: "pdf", source: { html: "{{d}}" }, page: pageOptionsSchema.parse({}) },
    parts: { html: "{{d}}", filename: "{{e}}.pdf" },
  };
  await store.templates.publish({ ...base, kind: "email", source: parts, parts });
  await store.templates.publish(pdf);
  const known = { path: "known", uses: [], always: false };
  await store.templates.publish({
    ...{ ...base, kind: "email", source: parts, parts, sourceHash: "y", reads: [known] },
  });
  assert.equal(await noteReads({ store, sandbox }), 2);
  assert.equal(await noteReads({ store, sandbox }), 0);
  const pathsOf = async (kind: "email" | "pdf", id: number) =>
    (await store.templates.findVersion("acc_1", kind, id, 1))?.reads?.map(({ path }) => path);
  assert.deepEqual(await pathsOf("email", 1), ["a", "b", "c"]);
  assert.deepEqual(await pathsOf("pdf", 1), ["e", "d"]);
  assert.deepEqual(await pathsOf("email", 2), ["known"]);
});
