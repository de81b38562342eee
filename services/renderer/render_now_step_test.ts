import { type RenderReply, renderReplySchema, type Variables } from "@posthaste/contracts";
import { openSandbox, RenderError } from "@posthaste/templating";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { emailVersion, GERMAN_MAIL } from "./_test_versions.ts";
import { type RenderNowDeps, renderNowStep } from "./render_now_step.ts";

const sandbox = openSandbox({ workers: 1 });
after(() => sandbox[Symbol.asyncDispose]());

/** Returns the answers to all requests of one event. */
async function repliesTo(
  all: [Variables, ...Variables[]],
  changes: Partial<RenderNowDeps> = {},
  locale?: string,
): Promise<RenderReply[]> {
  const step = renderNowStep({
    emailVersion: (accountId, id, version) =>
      Promise.resolve(accountId === "acc_1" && id === 1 && version === 2 ? emailVersion() : null),
    fill: sandbox.fill,
    ...changes,
  });
  const [variables, ...others] = all;
  const data = {
    ...{ v: 2 as const, accountId: "acc_1", templateId: 1, version: 2, variables, others },
    ...(locale === undefined ? {} : { locale }),
  };
  const delivery = { type: "render.requested", data } as const;
  const verdict = await step.handle(delivery, new AbortController().signal);
  if (verdict.type === "fail") return await read(step.giveUp(delivery, verdict.reason).replies);
  assert.ok(verdict.type === "done" && verdict.publish.length === 0);
  return await read(verdict.replies);
}

async function read(replies: readonly unknown[] = []): Promise<RenderReply[]> {
  return (await Promise.all(replies)).map((reply) => renderReplySchema.parse(reply));
}

async function reply(variables: Variables, changes: Partial<RenderNowDeps> = {}) {
  const [only, ...more] = await repliesTo([variables], changes);
  assert.deepEqual(more, []);
  return only;
}

test("renderNowStep() answers every request for the version, a failing one by itself", async () => {
  const answers = await repliesTo([{ name: "Ann" }, { name: "Bob" }, { name: "Cy" }], {
    fill: (request) =>
      request.fills[0]?.data["name"] === "Bob"
        ? Promise.resolve([{ ok: false, error: new RenderError("timeout", "too slow") }])
        : sandbox.fill(request),
  });
  assert.deepEqual(answers.map((answer) => answer.ok ? answer.subject : answer.reason), [
    ...["Hello Ann", "too slow", "Hello Cy"],
  ]);
  const missing = await repliesTo([{}, {}], { emailVersion: () => Promise.resolve(null) });
  assert.deepEqual(missing.map(({ ok }) => ok), [false, false]);
});

test("renderNowStep() answers with subject, HTML and text, defaults filled in", async () => {
  assert.deepEqual(await reply({ name: "<Ann>" }), {
    ok: true,
    subject: "Hello <Ann>",
    html: "<p>&lt;Ann&gt; in Oslo</p>",
    text: "<Ann> in Oslo",
  });
});

test("renderNowStep() fills the body in the wanted language", async () => {
  const email = emailVersion({ variants: GERMAN_MAIL });
  const changes = { emailVersion: () => Promise.resolve(email) };
  const subjects = [];
  for (const locale of ["de-CH", "fr", undefined]) {
    for (const answer of await repliesTo([{ name: "A" }, { name: "B" }], changes, locale)) {
      subjects.push(answer.ok && answer.subject);
    }
  }
  assert.deepEqual(subjects, ["Hallo A", "Hallo B", "Hello A", "Hello B", "Hello A", "Hello B"]);
});

test("renderNowStep() fills each on its own, urgently, in the name of its account", async () => {
  const asked: [string | undefined, boolean | undefined, number][] = [];
  await repliesTo([{ name: "Ann" }, { name: "Bob" }], {
    fill: (request) => {
      asked.push([request.owner, request.urgent, request.fills.length]);
      return sandbox.fill(request);
    },
  });
  assert.deepEqual(asked, [["acc_1", true, 1], ["acc_1", true, 1]]);
});

test("renderNowStep() answers that the template's version is missing", async () => {
  const answer = await reply({}, { emailVersion: () => Promise.resolve(null) });
  assert.deepEqual(answer, {
    ok: false,
    reason: "the template's version is missing",
    timedOut: false,
  });
});

test("renderNowStep() answers why a template could not be filled, and if time ran out", async () => {
  for (const [code, timedOut] of [["error", false], ["timeout", true], ["busy", true]] as const) {
    const answer = await reply({}, {
      fill: () => Promise.resolve([{ ok: false, error: new RenderError(code, "too bad") }]),
    });
    assert.deepEqual(answer, { ok: false, reason: "too bad", timedOut });
  }
});
