import assert from "node:assert/strict";
import { test } from "node:test";
import { type DraftSource, pageOptionsSchema } from "@posthaste/contracts";
import { cpuRatio } from "@posthaste/kit";
import { differingFiles, filesOf, type NamedSource } from "./files_of.ts";
import { readBundle } from "./read_bundle.ts";
import { sourceOfAuthored } from "./source_of_authored.ts";

const SOURCE: DraftSource = {
  ...{ subject: "Hello {{ name }}\n", html: "<p>{{ name }}</p>", text: "", filename: "" },
  ...{ variables: [{ name: "name", required: true }], locale: "en", page: null, sample: {} },
};
const MAIL: NamedSource = { kind: "email", alias: "welcome", name: "Welcome", source: SOURCE };
const BILL: NamedSource = {
  ...{ kind: "pdf", alias: "bill", name: "Bill" },
  source: {
    ...{ ...SOURCE, subject: "", filename: "bill-{{ number }}.pdf" },
    ...{ page: pageOptionsSchema.parse({ format: "A5" }), sample: { number: 7 } },
  },
};

/** Reads files, and writes them again. */
function roundTrip(named: NamedSource): Record<string, string> {
  const { templates, faults, warnings } = readBundle(filesOf(named));
  assert.deepEqual([faults, warnings], [[], []]);
  const [template] = templates;
  assert.ok(template);
  const { kind, alias, settings: { name } } = template;
  return filesOf({ kind, alias, name, source: sourceOfAuthored(template) });
}

test("filesOf() writes files that readBundle() reads, and the same ones again", () => {
  const mjml = "<mjml><mj-body></mj-body></mjml>";
  const default_ = { name: "a", default: { b: [1] }, required: false, description: "A" };
  for (
    const named of [
      MAIL,
      BILL,
      { ...BILL, source: { ...BILL.source, invoice: "<a>{{ number }}</a>\n" } },
      { ...MAIL, source: { ...SOURCE, html: mjml, text: "Hi\n", locale: "de" } },
      { ...MAIL, source: { ...SOURCE, variables: [default_], sample: { b: { c: null }, a: "ä" } } },
      { ...MAIL, source: { ...SOURCE, subject: "", html: "" } },
    ]
  ) {
    assert.deepEqual(roundTrip(named), filesOf(named));
  }
});

test("filesOf() writes the same files, however a template was written", () => {
  const one = filesOf(MAIL);
  const [variable] = SOURCE.variables;
  const turned = { required: variable?.required ?? false, name: variable?.name ?? "" };
  const windows = { ...SOURCE, html: "<p>\r\n</p>", variables: [turned], text: "  " };
  const unix = { ...SOURCE, html: "<p>\n</p>" };
  assert.deepEqual(
    filesOf({ ...MAIL, source: windows }),
    filesOf({ ...MAIL, source: unix }),
  );
  assert.deepEqual(Object.keys(one), [
    ...["email/welcome/template.json", "email/welcome/subject.hbs", "email/welcome/body.html.hbs"],
  ]);
});

test("differingFiles() names files that differ, are missing, or are additional", () => {
  const mjml = { ...SOURCE, html: "<mjml></mjml>", subject: "Bye" };
  const other = filesOf({ ...MAIL, source: mjml });
  assert.deepEqual(differingFiles(filesOf(MAIL), other), [
    ...["body.html.hbs", "body.mjml", "subject.hbs"],
  ]);
  assert.deepEqual(differingFiles(other, other), []);
});

test("readBundle() refuses a path that leaves its template's folder, and ends on many comments", () => {
  const { faults, warnings } = readBundle({
    ...filesOf(MAIL),
    "../email/x/template.json": "{}",
    "email/../../etc/template.json": "{}",
    "email/welcome/body.mjml": "<!-- a --> ".repeat(50_000),
  });
  assert.deepEqual(warnings.map(({ file }) => file), [
    ...["../email/x/template.json", "email/../../etc/template.json"],
  ]);
  assert.match(faults.map(({ message }) => message).join(), /two bodies.*is not MJML/);
});

test("filesOf() writes languages into folders of their tags, which readBundle() reads", () => {
  const body = { subject: "", html: "<p>", text: "", filename: "" };
  const mail: NamedSource = {
    ...MAIL,
    source: {
      ...SOURCE,
      variants: {
        "pt-BR": { ...body, subject: "Olá\n", html: "<mjml></mjml>" },
        de: { ...body, subject: "Hallo\n", text: "Hallo\n" },
      },
    },
  };
  const files = filesOf(mail);
  assert.deepEqual(Object.keys(files).filter((path) => path.split("/").length > 3), [
    ...["email/welcome/de/subject.hbs", "email/welcome/de/body.html.hbs"],
    ...["email/welcome/de/text.txt.hbs", "email/welcome/pt-BR/subject.hbs"],
    "email/welcome/pt-BR/body.mjml",
  ]);
  assert.deepEqual(roundTrip(mail), files);
  const bill: NamedSource = {
    ...BILL,
    source: {
      ...BILL.source,
      variants: {
        de: { ...body, filename: "rechnung-{{ number }}.pdf", invoice: "<a/>\n" },
        fr: { ...body, filename: BILL.source.filename },
      },
    },
  };
  const written = filesOf(bill);
  assert.equal(written["pdf/bill/de/filename.hbs"], "rechnung-{{ number }}.pdf\n");
  assert.equal(written["pdf/bill/fr/filename.hbs"], undefined);
  assert.deepEqual(roundTrip(bill), written);
  const without = { ...files };
  delete without["email/welcome/de/text.txt.hbs"];
  assert.deepEqual(differingFiles(files, without), ["de/text.txt.hbs"]);
});

test("readBundle() reports what languages lack, and which cannot be", () => {
  const files = filesOf(MAIL);
  const faults = (more: Record<string, string>) => {
    const prefixed = Object.entries(more).map(([name, text]) => [`email/welcome/${name}`, text]);
    const { faults, warnings } = readBundle({ ...files, ...Object.fromEntries(prefixed) });
    return [...faults, ...warnings].map(({ file, message }) => `${file} ${message}`);
  };
  const [subject, html] = ["subject.hbs", "body.html.hbs"];
  assert.deepEqual(faults({ [`de/${html}`]: "<p>" }), [
    "email/welcome/de/subject.hbs is missing",
  ]);
  assert.match(faults({ [`de/${subject}`]: "x" })[0] ?? "", /welcome\/de has no body/);
  assert.match(faults({ [`en/${subject}`]: "x", [`en/${html}`]: "" })[0] ?? "", /"en" is the lang/);
  assert.match(faults({ [`de-u-nu-latn/${html}`]: "" }).join(), /without extensions/);
  assert.match(faults({ [`de/body.mjml`]: "<p>", "de/subject.hbs": "" })[0] ?? "", /is not MJML/);
  for (
    const name of ["de_AT/subject.hbs", "de/template.json", "de/x/subject.hbs", "de/filename.hbs"]
  ) {
    assert.match(faults({ [name]: "x" })[0] ?? "", /is ignored/, name);
  }
  const twice = { "de-AT/subject.hbs": "a", "de-at/subject.hbs": "b", "de-AT/body.html.hbs": "" };
  assert.deepEqual(faults(twice), [
    'email/welcome/de-at/subject.hbs is ignored: it is "de-AT/subject.hbs" again',
  ]);
});

test("readBundle() takes linear time on countless languages", async () => {
  const letters = Array.from("abcdefghijklmnopqrstuvwxyz");
  const pairs = letters.flatMap((a) => letters.map((b) => `${a}${b}`));
  const read = (count: number) => {
    const tags = Array.from(
      { length: count },
      (_, n) => `${pairs[Math.floor(n / pairs.length)]}-${pairs[n % pairs.length]}`,
    );
    const files = Object.fromEntries(tags.map((tag) => [`email/a/${tag}/subject.hbs`, ""]));
    return () => void readBundle(files);
  };
  const ratio = await cpuRatio(read(1600), read(200), { below: 24 });
  // Linear is 8, quadratic 64.
  assert.ok(ratio < 24, `8 times the languages cost ${ratio} times as much`);
});

test("readBundle() stops at a template after a thousand faults", () => {
  const settings = `{"name":"x","variables":[${"{},".repeat(60)}{}]}`;
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`email/t${10 + n}/template.json`, settings]),
  );
  const { faults } = readBundle(files);
  assert.ok(faults.length < 1200, `${faults.length} faults`);
  assert.match(faults.at(-1)?.message ?? "", /too many faults/);
});

test("readBundle() looks at no variable of a template that declares too many", () => {
  const read = (count: number) => {
    const variables = Array.from({ length: count }, () => ({}));
    const template = JSON.stringify({ name: "x", variables });
    const { faults } = readBundle({ "email/a/template.json": template });
    return faults.filter(({ file }) => file === "email/a/template.json");
  };
  assert.equal(read(5_000).length, 100);
  assert.deepEqual(read(5_001).map(({ message }) => message), [
    '"variables": must not have more than 5000 items',
  ]);
});
