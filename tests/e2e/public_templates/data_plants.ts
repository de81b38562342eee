import { type DraftSource, type PageOptions, pageOptionsSchema } from "@posthaste/contracts";
import {
  checkTemplate,
  type LintRule,
  missingVariables,
  type TemplateVariable,
  templateVariables,
} from "@posthaste/templating";
import { changed, inputOf, type Planted, type RealTemplate, someOf } from "./plant.ts";

const IMAGE = {
  ...{ name: "planted", sha256: "a".repeat(64), size: 1, filename: "a", contentType: "text/csv" },
};
const USE = { name: "planted", line: 1, column: 1 };

/** Returns the faults in what a template reads, declares and has as options. */
export function dataPlants(template: RealTemplate): Planted[] {
  const variables = templateVariables({ html: template.html });
  const isMjml = /^\s*<mjml/.test(template.html);
  return [
    ...misspelled(template, variables),
    ...declarations(template, variables),
    ...stored(template),
    ...(template.kind === "email" ? mails(template) : []),
    ...(isMjml ? [] : passwords({ ...template, kind: "pdf" }, variables)),
  ].filter(({ after }) => checkTemplate({ html: after.source.html }).length === 0);
}

/** Names with a slip, and fields that are not in the sample. */
function misspelled(template: RealTemplate, variables: readonly TemplateVariable[]): Planted[] {
  const { html } = template;
  const known = new Set(variables.map(({ name }) => name));
  const names = variables.flatMap(({ name, line, column, partial }) => {
    const place = partial === undefined && nameAt(html, { line, column, path: name });
    const wrong = slipOf(name);
    if (!place || wrong === undefined || known.has(wrong)) return [];
    return [changed(template, { rule: "unknown_variable", ...place, text: wrong })];
  });
  const fields = variables.flatMap(({ fields = [] }) => fields).flatMap((field) => {
    const place = nameAt(html, field);
    const [name = ""] = /[^.[\]]*$/.exec(field.path.replace(/\[\]$/, "")) ?? [];
    const wrong = slipOf(name);
    if (!place || field.path.endsWith("[]")) return [];
    const unknown = changed(template, { rule: "unknown_field", ...place, text: "zzqx" });
    if (wrong === undefined || fieldsOf(variables).has(wrong)) return [unknown];
    return [unknown, changed(template, { rule: "misspelled_field", ...place, text: wrong })];
  });
  return [...names, ...fields];
}

function fieldsOf(variables: readonly TemplateVariable[]): Set<string> {
  return new Set(variables.flatMap(({ paths }) => paths.flatMap((path) => path.split(/[.[\]]+/))));
}

/** Returns where the last name of a path is written; `undefined` if it is written in another way. */
function nameAt(
  html: string,
  { line, column, path }: { line: number; column: number; path: string },
): { start: number; end: number } | undefined {
  const at = html.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0) + column -
    1;
  const [written = ""] = /^"?[\w@./-]+/.exec(html.slice(at)) ?? [];
  const name = path.replace(/^.*[.\]]/, "");
  if (!written.endsWith(name) || /\w/.test(written.at(-name.length - 1) ?? "")) return undefined;
  return { start: at + written.length - name.length, end: at + written.length };
}

/** Swaps two letters. */
function slipOf(name: string): string | undefined {
  if (!/^[a-z_]{4,}$/i.test(name)) return undefined;
  for (let at = 1; at + 1 < name.length; at++) {
    const [a = "", b = ""] = [name[at], name[at + 1]];
    if (a.toLowerCase() !== b.toLowerCase()) return name.slice(0, at) + b + a + name.slice(at + 2);
  }
  return undefined;
}

function declarations(
  { kind, html }: RealTemplate,
  variables: readonly TemplateVariable[],
): Planted[] {
  const declared = variables.map(({ name }) => ({ name, required: true }));
  const all = (source: Partial<DraftSource>) => inputOf({ kind, html }, { source });
  const before = all({ variables: declared });
  const unused = [...declared, { name: "planted", required: false }];
  const { sample } = before.source;
  return [
    { rule: "unused_variable", line: null, before, after: all({ variables: unused }) },
    ...someOf(variables).flatMap(({ name, line }): Planted[] => {
      const others = declared.filter((one) => one.name !== name);
      const { [name]: _, ...without } = sample;
      const lacking = all({ variables: declared, sample: without });
      const missing = missingVariables(declared, without);
      return [
        { rule: "undeclared_variable", line, before, after: all({ variables: others, sample }) },
        { rule: "sample_lacks", line: null, before: lacking, after: { ...lacking, missing } },
      ];
    }),
  ];
}

/** Stored files that are of the wrong type, or too large. */
function stored({ kind, html }: RealTemplate): Planted[] {
  const before = inputOf({ kind, html });
  const own = before.assets ?? [];
  const large = { ...IMAGE, contentType: "image/png", size: 30_000_000 };
  const line = 1;
  return [
    {
      rule: "asset_not_image",
      line,
      before,
      after: { ...before, assets: [...own, { ...USE, asset: IMAGE }] },
    },
    {
      rule: "assets_too_large",
      line: null,
      before,
      after: { ...before, assets: [...own, { ...USE, asset: large }] },
    },
  ];
}

const UNSUBSCRIBE = /unsubscribe|opt.?out|(?:mail|notification|email) preferences/gi;

/** Mails that are too long, or have no subject, or are marketing. */
function mails({ kind, html }: RealTemplate): Planted[] {
  const mail = (output: { subject?: string; html?: string; text?: string }) =>
    inputOf({ kind, html }, { output: { subject: "Your order", html, text: "", ...output } });
  const before = mail({});
  const whole = (rule: LintRule, after: Planted["after"], from = before): Planted => (
    { rule, line: null, before: from, after }
  );
  const links = [1, 2, 3, 4, 5].map((at) => `<a href="https://shop.example/${at}">x</a>`).join("");
  const news = html.replace(UNSUBSCRIBE, "leave") + links;
  const short = html.length < 95_000
    ? [whole("gmail_clips", mail({ html: html + "x".repeat(102_001) }))]
    : [];
  return [
    ...short,
    whole("empty_subject", mail({ subject: "" })),
    ...marked({ kind, html }),
    whole("subject_too_long", mail({ subject: "Your order ".repeat(9) })),
    whole(
      "missing_unsubscribe",
      mail({ html: news, text: "Sale: 20% off" }),
      mail({ html: news, text: "Thank you" }),
    ),
  ];
}

/** Marks of other products in the subject and in the text. */
function marked(template: Pick<RealTemplate, "kind" | "html">): Planted[] {
  const before = inputOf(template);
  const after = [{ subject: "*|FNAME|*, your order" }, { text: "Hi\n%%first_name%%" }];
  return after.map((source, at) => ({
    ...{ rule: "foreign_tag", line: at + 1, before, after: inputOf(template, { source }) },
  }));
}

/** Page options of a PDF that do not fit together. */
function passwords(
  { kind, html }: RealTemplate,
  variables: readonly TemplateVariable[],
): Planted[] {
  const [{ name } = { name: "code" }] = variables;
  const pdf = (page: Partial<PageOptions>, source: Partial<DraftSource> = {}) =>
    inputOf({ kind, html }, {
      source: { ...source, page: { ...pageOptionsSchema.parse({}), ...page } },
    });
  const required = { variables: [{ name, required: true }] };
  const plain = pdf({ append: ["planted"] });
  const appended = (asset: typeof IMAGE) => [{ ...USE, appended: true, asset }];
  const own = plain.assets ?? [];
  const withPdf = [...own, ...appended({ ...IMAGE, contentType: "application/pdf" })];
  const archived = pdf({ append: ["planted"], conformance: "pdf/a-3b" });
  const whole = (rule: LintRule, before: Planted["before"], after: Planted["after"]): Planted => (
    { rule, line: null, before, after }
  );
  const locked = pdf({ passwordVariable: name }, required);
  return [
    whole(
      "password_in_archive",
      locked,
      pdf({ passwordVariable: name, conformance: "pdf/a-3b" }, required),
    ),
    ...(variables.length === 0
      ? []
      : [whole("password_undeclared", pdf({}), pdf({ passwordVariable: name }))]),
    whole(
      "password_default",
      locked,
      pdf({ passwordVariable: name }, { variables: [{ name, required: false, default: "1234" }] }),
    ),
    whole("asset_not_pdf", { ...plain, assets: withPdf }, {
      ...plain,
      assets: [...own, ...appended(IMAGE)],
    }),
    whole("append_in_archive", { ...plain, assets: withPdf }, { ...archived, assets: withPdf }),
  ];
}
