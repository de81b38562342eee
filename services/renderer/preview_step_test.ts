import { type EventData, pageOptionsSchema, previewReplySchema } from "@posthaste/contracts";
import { FetchError } from "@posthaste/fetching";
import { openSandbox } from "@posthaste/templating";
import { minimalInvoice } from "@posthaste/kit";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { KeptImages } from "./kept_images.ts";
import { type PreviewDeps, previewStep } from "./preview_step.ts";
import { openRemoteImages } from "./remote_images.ts";

const sandbox = openSandbox({ workers: 1, timeLimitMs: 500 });
after(() => sandbox[Symbol.asyncDispose]());

type Preview = EventData<"preview.requested">;

const NO_IMAGES: KeptImages = {
  find: (uses) => Promise.resolve(uses.map((use) => ({ ...use, asset: null }))),
  embedded: () => Promise.resolve({}),
};

const stored = new Map<string, string>();

async function reply(changes: Partial<Preview>, deps: Partial<PreviewDeps> = {}) {
  const step = previewStep({
    sandbox,
    loadContent: (key) => Promise.resolve(stored.get(key)),
    storeContent: (key, text) => Promise.resolve(void stored.set(key, text)),
    kept: NO_IMAGES,
    ...deps,
  });
  const data: Preview = {
    ...{ v: 2, accountId: "acc_1", template: email({}), declarations: [], locale: "en" },
    ...{ variables: {}, ...changes },
  };
  const delivery = { type: "preview.requested", data } as const;
  const verdict = await step.handle(delivery, new AbortController().signal);
  assert.ok(verdict.type === "done" && verdict.publish.length === 0);
  return previewReplySchema.parse(verdict.replies?.[0]);
}

function email(changes: { subject?: string; html?: string; text?: string }): Preview["template"] {
  const { subject = "Hi {{name}}", html = "<p>{{name}} of {{city}}</p>", text } = changes;
  const plain = text === undefined ? {} : { text: { inline: text } };
  return { kind: "email", subject, html: { inline: html }, ...plain };
}

async function good(changes: Partial<Preview>, deps: Partial<PreviewDeps> = {}) {
  const answer = await reply(changes, deps);
  assert.ok(answer.ok, JSON.stringify(answer));
  return answer;
}

async function bad(changes: Partial<Preview>) {
  const answer = await reply(changes);
  assert.ok(!answer.ok, JSON.stringify(answer));
  return answer;
}

test("previewStep() fills an unpublished template, with its defaults", async () => {
  const declarations = [
    { name: "city", required: false, default: "Oslo" },
    { name: "name", required: true },
    { name: "code", required: true },
  ];
  const answer = await good({ declarations, variables: { name: "<Ann>" } });
  assert.deepEqual(answer.parts, {
    subject: "Hi <Ann>",
    html: { inline: "<p>&lt;Ann&gt; of Oslo</p>" },
    text: { inline: "<Ann> of Oslo" },
  });
  assert.deepEqual([answer.textGenerated, answer.missing, answer.compiled], [
    ...[true, ["code"], undefined],
  ]);
  assert.deepEqual(answer.variables.map(({ name, usedIn }) => [name, usedIn]), [
    ["name", ["subject", "html"]],
    ["city", ["html"]],
  ]);
});

test("previewStep() returns what would be published on request", async () => {
  const mjml = "<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{name}}</mj-text></mj-column>" +
    "</mj-section></mj-body></mjml>";
  const answer = await good({ template: email({ html: mjml, text: "Hi" }), compiled: true });
  const html = answer.compiled !== undefined && "inline" in answer.compiled.html
    ? answer.compiled.html.inline
    : "";
  assert.match(html, /<!doctype html>[^]*Hi {{name}}/);
  assert.deepEqual(answer.compiled?.subject, "Hi {{name}}");
  assert.deepEqual(answer.compiled?.text, { inline: "Hi" });
});

test("previewStep() returns every fault with its line, and the variables nevertheless", async () => {
  const html = "<p>{{name}}</p>\n<p>{{dat due}}</p>\n{{#each rows}}{{/each}}{{currency total}}";
  const answer = await bad({ template: email({ subject: "{{#if}}", html }) });
  assert.deepEqual(answer.errors.map(({ part, line, column }) => [part, line, column]), [
    ["subject", 1, 1],
    ["html", 2, 4],
    ["html", 3, 24],
  ]);
  assert.match(answer.errors[1]?.message ?? "", /did you mean "date"/);
  assert.deepEqual(answer.variables.map(({ name }) => name), ["name", "due", "rows", "total"]);
  assert.equal(answer.timedOut, false);
});

test("previewStep() finds the place in the author's MJML where filling fails", async () => {
  const html = "<mjml><mj-body><mj-section><mj-column>\n<mj-text>\n{{number total}}</mj-text>" +
    "</mj-column></mj-section></mj-body></mjml>";
  const answer = await bad({ template: email({ html, text: "x" }), variables: { total: "much" } });
  assert.match(answer.reason, /"much"/);
  assert.deepEqual(answer.errors.map(({ part, line, column }) => [part, line, column]), [
    ["html", 3, 1],
  ]);
  const made = await bad({
    ...{ template: email({ html: "<style>p{}</style>\n<p>{{number total}}" }) },
    variables: { total: "much" },
  });
  assert.deepEqual(made.errors.map(({ part, line }) => [part, line]), [["html", 2]]);
});

test("previewStep() answers in time for an endless template, and for the next one", async () => {
  const rows = Array.from({ length: 300 }, () => 1);
  const each = "{{#each @root.r}}";
  const bomb = each.repeat(5) + "{{this}}" + "{{/each}}".repeat(5);
  const answer = await bad({ template: email({ html: bomb, text: "x" }), variables: { r: rows } });
  assert.equal(answer.timedOut, true);
  assert.equal((await good({ accountId: "acc_2" })).parts.subject, "Hi");
  assert.equal((await good({})).parts.subject, "Hi");
  // The account's own mail does not count as slow for it.
  assert.equal(sandbox.isSlow("acc_1"), false);
});

test("previewStep() fills a PDF template and its file name", async () => {
  const html = { inline: "<h1>{{number}}</h1>" };
  const template = { kind: "pdf" as const, filename: "bill/{{number}}-{{year}}", html };
  const variables = { number: "7<", year: 2026 };
  const answer = await good({ template, variables, compiled: true });
  assert.deepEqual(answer.parts, {
    subject: "bill-7--2026.pdf",
    html: { inline: "<h1>7&lt;</h1>" },
    text: { inline: "" },
  });
  assert.deepEqual(answer.compiled?.subject, "bill/{{number}}-{{year}}");
  assert.deepEqual(answer.variables.map(({ name, usedIn }) => [name, usedIn]), [
    ["number", ["subject", "html"]],
    ["year", ["subject"]],
  ]);
  const faulty = await bad({ template: { ...template, filename: "{{no such}}" } });
  assert.deepEqual(faulty.errors.map(({ part }) => part), ["subject"]);
});

test("previewStep() embeds a PDF's remote images as its mails do", async () => {
  const images = openRemoteImages({
    places: 1,
    fetchImage: (url) =>
      url.endsWith("good.png")
        ? Promise.resolve({ type: "image/png", bytes: Buffer.from("png") })
        : Promise.reject(new FetchError(url, { fault: "refused", reason: "not found" })),
  });
  const show = async (url: string, page: object, deps: Partial<PreviewDeps>) => {
    const html = { inline: `<img src="${url}">` };
    const template = {
      kind: "pdf" as const,
      filename: "",
      html,
      page: pageOptionsSchema.parse(page),
    };
    const { parts, warnings } = await good({ template }, deps);
    return [parts.html, warnings];
  };
  const url = "https://i.example/good.png";
  const remote = { images: "remote" };
  const as = { inline: `<img src="${url}">` };
  assert.deepEqual(await show(url, remote, { images }), [
    { inline: `<img src="data:image/png;base64,cG5n">` },
    [],
  ]);
  assert.deepEqual(await show(url, {}, { images }), [as, []]);
  const [, [refused]] = await show(url, remote, {}) as [unknown, string[]];
  assert.match(refused ?? "", /Messages with it fail: the operator does not allow/);
  assert.deepEqual(await show("data:,", remote, {}), [{ inline: `<img src="data:,">` }, []]);
  const [, [warning]] = await show("https://i.example/bad.png", remote, { images }) as [
    unknown,
    string[],
  ];
  assert.match(warning ?? "", /Messages with it fail: .*not found/);
});

test("previewStep() reads and returns texts too large for an event by key", async () => {
  const long = `<p>${"x".repeat(400_000)}</p>`;
  stored.set("written", long);
  const template = {
    kind: "email" as const,
    subject: "",
    html: { key: "written" },
    text: { inline: "-" },
  };
  const { parts } = await good({ template });
  assert.ok("key" in parts.html);
  assert.equal(stored.get(parts.html.key), long);
  const gone = await bad({ template: { ...template, html: { key: "gone" } } });
  assert.match(gone.reason, /has expired/);
});

test("previewStep() shows stored images as a message would, and reports those that do not exist", async () => {
  const asset = {
    ...{ name: "logo", sha256: "a".repeat(64), size: 3, filename: "a.png" },
    contentType: "image/png",
  };
  const kept: KeptImages = {
    find: (uses) =>
      Promise.resolve(uses.map((use) => ({ ...use, asset: use.name === "logo" ? asset : null }))),
    embedded: () => Promise.resolve({ logo: "data:image/png;base64,YWJj" }),
  };
  const html = '<p>{{asset "logo"}} {{asset "none"}}</p>';
  const mail = await good({ template: email({ html, text: "Hi" }) }, { kept });
  assert.deepEqual(mail.parts.html, { inline: "<p>cid:logo </p>" });
  assert.deepEqual(mail.assets, [
    { name: "logo", line: 1, column: 4, asset },
    { name: "none", line: 1, column: 21, asset: null },
  ]);
  const template = { kind: "pdf" as const, filename: "a.pdf", html: { inline: html } };
  const pdf = await good({ template }, { kept });
  assert.deepEqual(pdf.parts.html, { inline: "<p>data:image/png;base64,YWJj </p>" });
});

test("previewStep() reports an invoice that cannot be sent as a fault of its part", async () => {
  const template = (invoice: string): Preview["template"] => ({
    ...{ kind: "pdf", filename: "a.pdf", html: { inline: "<p>" }, invoice: { inline: invoice } },
    page: pageOptionsSchema.parse({ conformance: "pdf/a-3b", invoice: "minimum" }),
  });
  const { reason, errors } = await bad({ template: template("<a b>{{name}}") });
  assert.match(reason, /not well-formed/);
  assert.deepEqual(errors, [{ part: "invoice", line: 1, column: 1, message: reason }]);
  const syntax = await bad({ template: template("<a>\n{{name}</a>") });
  assert.deepEqual(syntax.errors.map(({ part, line }) => [part, line]), [["invoice", 2]]);
});

test("previewStep() returns the filled invoice and its source", async () => {
  const xml = minimalInvoice("{{name}}", "7.00");
  const answer = await good({
    template: {
      ...{ kind: "pdf", filename: "a.pdf", html: { inline: "<p>" }, invoice: { inline: xml } },
      page: pageOptionsSchema.parse({ conformance: "pdf/a-3b", invoice: "minimum" }),
    },
    variables: { name: "A & B" },
    compiled: true,
  });
  assert.deepEqual(answer.invoice, {
    xml: { inline: minimalInvoice("A &amp; B", "7.00") },
    ...{ profile: "minimum", grandTotal: "7.00", duePayable: "7.00" },
  });
  assert.deepEqual(answer.compiled?.invoice, { inline: xml });
  assert.deepEqual(answer.variables.map(({ name, usedIn }) => [name, usedIn]), [
    ["name", ["invoice"]],
  ]);
});

test("previewStep() includes partials and brand values, inline or stored, and places their faults", async () => {
  const json = JSON.stringify({
    partials: {
      base: "<b style='color:{{@brand.color}}'>{{> @partial-block}}</b>",
      file: "bill-{{no}}.pdf",
    },
    brand: { color: "#0a5" },
  });
  stored.set("includes", json);
  const html = "{{#> base}}{{name}}{{/base}}";
  const mail = await good({
    ...{ template: email({ html }), variables: { name: "Ann" }, compiled: true },
    includes: { key: "includes" },
  });
  assert.deepEqual(mail.parts.html, { inline: "<b style='color:#0a5'>Ann</b>" });
  assert.deepEqual(mail.compiled?.html, { inline: "<b style='color:#0a5'>{{name}}</b>" });
  assert.deepEqual(mail.partials, ["base"]);

  const pdf = { kind: "pdf" as const, filename: "{{> file}}", html: { inline: html } };
  const bill = await good({
    ...{ template: pdf, variables: { name: "Ann", no: 7 }, compiled: true },
    includes: { inline: json },
  });
  assert.equal(bill.parts.subject, "bill-7.pdf");
  assert.equal(bill.compiled?.subject, "bill-{{no}}.pdf");
  assert.deepEqual(bill.partials, ["base", "file"]);

  const broken = { partials: { base: "x\n{{upper}} {{curency a b}}" } };
  const answer = await bad({
    template: email({ html: "{{> base}}" }),
    includes: { inline: JSON.stringify(broken) },
  });
  assert.deepEqual(answer.errors.map(({ partial, line, column }) => [partial, line, column]), [
    ["base", 2, 11],
  ]);
  assert.match((await bad({ template: email({}), includes: { key: "gone" } })).reason, /expired/);
  const unfillable = await bad({
    template: email({ html: "{{> base}}" }),
    includes: { inline: JSON.stringify({ partials: { base: "\n{{date name}}" } }) },
    variables: { name: "soon" },
  });
  assert.match(unfillable.reason, /Cannot format date "soon"/);
  assert.deepEqual(unfillable.errors, []);
});

test("previewStep() leaves out planned PDFs whose bytes are not stored yet, and limits their size", async () => {
  const terms = (size: number) => ({
    ...{ name: "terms", sha256: "a".repeat(64), size, filename: "terms.pdf" },
    contentType: "application/pdf",
  });
  const page = pageOptionsSchema.parse({ append: ["terms"] });
  const html = { inline: "<p>Offer</p>" };
  const template = { kind: "pdf" as const, filename: "offer", html, page };
  const ask = (size: number, planned: boolean) => {
    const kept: KeptImages = {
      find: (uses) => Promise.resolve(uses.map((use) => ({ ...use, asset: terms(size) }))),
      embedded: () => Promise.resolve({}),
    };
    const assets = { inline: JSON.stringify(planned ? [terms(size)] : []) };
    return reply({ template, assets }, { kept });
  };
  const planned = await ask(9, true);
  assert.ok(planned.ok, JSON.stringify(planned));
  assert.deepEqual(planned.append ?? [], []);
  const large = await ask(4_000_001, true);
  assert.match(large.ok ? "" : large.reason, /more than 4000000/);
  const lost = await ask(9, false);
  assert.match(lost.ok ? "" : lost.reason, /"terms" is no longer stored/);
});

test("previewStep() returns the places of fields in MJML, in a PDF, its file name and its partials", async () => {
  const mjml = "<mjml><mj-body><mj-section><mj-column>\n<mj-text>{{#each lines}}{{name}}{{/each}}" +
    "</mj-text></mj-column></mj-section></mj-body></mjml>";
  const places = ({ variables }: Awaited<ReturnType<typeof good>>) =>
    variables.flatMap(({ fields = [] }) =>
      fields.map(({ path, part, partial, line }) => `${path} ${partial ?? part} ${line}`)
    );
  const mail = await good({ template: email({ html: mjml }) });
  assert.deepEqual(places(mail), ["lines[].name html 2"]);
  const html = { inline: "\n{{customer.city}}{{> foot}}" };
  const bill = await good({
    template: { kind: "pdf", filename: "bill-{{customer.id}}", html },
    includes: { inline: JSON.stringify({ partials: { foot: "x\n\n{{customer.name}}" } }) },
  });
  assert.deepEqual(places(bill), [
    ...["customer.city html 2", "customer.name foot 3", "customer.id subject 1"],
  ]);
});
