import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOptionsSchema } from "@posthaste/contracts";
import { LINT_RULES, type LintRule } from "./lint_rules.ts";
import { lintTemplate } from "./lint_template.ts";
import type { LintInput } from "./lint_input.ts";

/** A template that breaks a rule: all of its expected findings, as `rule line`. */
interface Fixture extends Partial<Omit<LintInput, "source">> {
  source?: Partial<LintInput["source"]>;
  finds: readonly string[];
}

const PREHEADER = '<body><div style="display:none">Your order is on its way</div>';
const variable = (name: string, line: number) => ({
  ...{ name, line, column: 4, paths: [name], usedIn: ["html" as const] },
});
const fieldOf = (name: string, path: string) => ({
  ...variable(name, 1),
  fields: [{ path, part: "html" as const, line: 6, column: 4 }],
});
const customer = { name: "customer", required: true };
const number = { name: "number", required: true };
const page = pageOptionsSchema.parse({});
const logo =
  '<table><tr><td>\n<img src="https://shop.example/logo.png" width="120"></td></tr></table>';

const image = {
  ...{ name: "logo", sha256: "a".repeat(64), size: 1, filename: "a.png", contentType: "image/png" },
};
const use = { name: "logo", line: 2, column: 1 };

const FIXTURES: Readonly<Record<LintRule, Fixture>> = {
  cannot_fill: { errors: [], reason: "took longer than 2 s", finds: ["cannot_fill"] },
  pdf_blocked: {
    ...{ kind: "pdf", source: { page }, blocked: ["https://shop.example/invoice.css"] },
    finds: ["pdf_blocked"],
  },
  pdf_unprintable: {
    ...{ kind: "pdf", source: { page }, unprintable: "the margins leave no room" },
    finds: ["pdf_unprintable"],
  },
  pdf_glyphs_fail: {
    ...{ kind: "pdf", source: { page: { ...page, missingGlyphs: "fail" } } },
    ...{ missingGlyphs: ['U+E123 in "Dear \uE123"'], finds: ["pdf_glyphs_fail"] },
  },
  pdf_missing_glyphs: {
    ...{ kind: "pdf", source: { page }, missingGlyphs: ['U+E123 in "Dear \uE123"'] },
    finds: ["pdf_missing_glyphs"],
  },
  pdf_font_broken: {
    ...{ kind: "pdf", source: { page }, brokenFonts: ["Brand"] },
    finds: ["pdf_font_broken"],
  },
  pdf_image_blocked: { kind: "pdf", source: { html: logo, page }, finds: ["pdf_image_blocked 2"] },
  remote_image: {
    ...{ kind: "pdf", source: { html: logo, page: { ...page, missing: "leave_out" } } },
    finds: ["remote_image 2"],
  },
  pdf_images_fail: {
    ...{ kind: "pdf", source: { html: logo, page: { ...page, images: "remote" } } },
    warnings: ["Messages with it fail: an image was not found (404)"],
    finds: ["pdf_images_fail"],
  },
  password_in_archive: {
    ...{ kind: "pdf", variables: [] },
    source: {
      page: { ...page, conformance: "pdf/a-3b", passwordVariable: "number" },
      variables: [number],
    },
    finds: ["password_in_archive"],
  },
  password_undeclared: {
    ...{ kind: "pdf", source: { page: { ...page, passwordVariable: "customer.code" } } },
    finds: ["password_undeclared"],
  },
  password_default: {
    kind: "pdf",
    source: {
      page: { ...page, passwordVariable: "code" },
      variables: [{ name: "code", required: false, default: "1234" }],
    },
    finds: ["password_default"],
  },
  unknown_asset: { assets: [{ ...use, asset: null }], finds: ["unknown_asset 2"] },
  asset_not_image: {
    assets: [{ ...use, asset: { ...image, contentType: "text/csv" } }],
    finds: ["asset_not_image 2"],
  },
  asset_not_pdf: {
    ...{ kind: "pdf", source: { page: { ...page, append: ["logo"] } } },
    ...{ assets: [{ ...use, appended: true, asset: image }], finds: ["asset_not_pdf"] },
  },
  append_in_archive: {
    ...{ kind: "pdf", assets: [] },
    source: { page: { ...page, conformance: "pdf/a-3b", append: ["terms"] } },
    finds: ["append_in_archive"],
  },
  assets_too_large: {
    assets: [{ ...use, asset: { ...image, size: 20_000_000 } }],
    finds: ["assets_too_large"],
  },
  unknown_variable: {
    source: { variables: [number] },
    variables: [variable("number", 1), variable("nummber", 2)],
    finds: ["unknown_variable 2"],
  },
  undeclared_variable: {
    source: { sample: { coupon: "SPRING" } },
    variables: [variable("coupon", 3)],
    finds: ["undeclared_variable 3"],
  },
  misspelled_field: {
    source: { sample: { customer: { name: "Ada" } }, variables: [customer] },
    variables: [fieldOf("customer", "customer.nmae")],
    finds: ["misspelled_field 6"],
  },
  unknown_field: {
    source: { sample: { customer: { name: "Ada" } }, variables: [customer] },
    variables: [fieldOf("customer", "customer.phone")],
    finds: ["unknown_field 6"],
  },
  unused_variable: { source: { variables: [number] }, finds: ["unused_variable"] },
  sample_lacks: {
    ...{ source: { variables: [number] }, variables: [variable("number", 1)] },
    ...{ missing: ["number"], finds: ["sample_lacks"] },
  },
  relative_image: {
    source: {
      html: '<td background="images/hero.jpg">\n<img src="../img/logo.png" alt="Shop">\n' +
        '<img src="{{base}}/a.png" alt=""><img src="cid:logo" alt="">',
    },
    finds: ["relative_image 1", "relative_image 2"],
  },
  script: {
    source: {
      html: '<script src="https://www.googletagmanager.com/gtag/js"></script>\n' +
        '<script type="application/ld+json">{"@type":"Order"}</script>',
    },
    finds: ["script 1"],
  },
  form: {
    source: {
      html: '<p>Rate us</p>\n<form action="https://shop.example/rate" method="post"></form>',
    },
    finds: ["form 2"],
  },
  javascript_link: {
    source: { html: '\n\n<a href="javascript:window.print()">Print</a>' },
    finds: ["javascript_link 3"],
  },
  foreign_tag: {
    source: {
      subject: "*|FNAME|*, your order",
      html:
        '<a href="<%asm_global_unsubscribe_raw_url%>">Unsubscribe</a>\n<p>%%first_name%%</p>\n' +
        "<p>%recipient.name%</p>{% if vip %}\n<!-- *|OLD|* --><!--[if mso]>*|IF:VIP|*<![endif]-->\n" +
        "<p>100% of 5 %, 50 %%, [[not certain]] {{! *|NAME|* }}</p>",
      text: "\n%%=v(@name)=%%",
    },
    finds: [
      ...["foreign_tag 1", "foreign_tag 1", "foreign_tag 2", "foreign_tag 3", "foreign_tag 3"],
      ...["foreign_tag 4", "foreign_tag 2"],
    ],
  },
  image_without_alt: { source: { html: logo }, finds: ["image_without_alt 2"] },
  link_without_href: {
    source: { html: '<a class="button">Pay now</a> <a id="top"></a>' },
    finds: ["link_without_href 1"],
  },
  link_placeholder: {
    source: { html: '<a href="">Pay</a>\n<mj-button href="#">Pay</mj-button>' },
    finds: ["link_placeholder 1", "link_placeholder 2"],
  },
  relative_address: {
    source: { html: '<a href="www.shop.example/orders">Orders</a>' },
    finds: ["relative_address 1"],
  },
  http_image: {
    source: { html: '<img alt="" src="http://shop.example/logo.png">' },
    finds: ["http_image 1"],
  },
  data_image: {
    source: { html: '<p>\n<img alt="" src="data:image/png;base64,iVBORw0KGgo="></p>' },
    finds: ["data_image 2"],
  },
  not_in_mail: {
    source: { html: '\n<video src="https://shop.example/film.mp4"></video>' },
    finds: ["not_in_mail 2"],
  },
  css_unsupported: {
    source: {
      html: "<style>\n.row { display: flex }\n.row > p { display: flex; text-transform: none }\n" +
        "@media (min-width: 600px) { .row { display: grid } }\n.badge { position: absolute }\n</style>\n" +
        '<div style="display:grid">x</div>\n<p style="position: relative; border-radius: 4px">y</p>',
    },
    finds: ["css_unsupported 2", "css_unsupported 5", "css_unsupported 7"],
  },
  low_contrast: {
    source: {
      html: '<td style="color:#fff;background-color:#ffc107">Sale</td>\n' +
        '<td bgcolor="#f4f4f4" style="color: #aaaaaa">Imprint</td>\n' +
        '<td style="color:#ffffff;background:#22bc66 url(https://x.example/a.png)">a</td><p style="color:#fff">b</p>\n' +
        '<mj-button background-color="#1D4ED8" color="white" href="https://x.example">Pay</mj-button>\n' +
        '<h1 style="color:#888;background:#fff;font-size:32px">Big</h1>',
    },
    finds: ["low_contrast 1", "low_contrast 2"],
  },
  unescaped_value: {
    source: { html: "<p>{{{note}}}</p>\n<p>{{&note}}</p>" },
    finds: ["unescaped_value 1", "unescaped_value 2"],
  },
  gmail_clips: {
    output: { subject: "Hi", html: PREHEADER + "x".repeat(104_448), text: "Hi" },
    finds: ["gmail_clips"],
  },
  empty_subject: { output: { subject: "", html: PREHEADER, text: "" }, finds: ["empty_subject"] },
  compiler: { warnings: ["Line 7: Attribute colour is illegal"], finds: ["compiler 7"] },
  subject_too_long: {
    output: { subject: "Your order ".repeat(9), html: PREHEADER, text: "" },
    finds: ["subject_too_long"],
  },
  no_preheader: {
    output: { subject: "Hi", html: "<body><p>Hi</p>", text: "Hi" },
    finds: ["no_preheader"],
  },
  missing_unsubscribe: {
    output: {
      ...{ subject: "Sale", text: "20% off this week" },
      html: PREHEADER +
        [1, 2, 3, 4, 5].map((n) => `<a href="https://s.example/${n}">x</a>`).join(""),
    },
    finds: ["missing_unsubscribe"],
  },
};

for (const [rule, { finds, source, ...input }] of Object.entries(FIXTURES)) {
  test(`lintTemplate() finds ${rule} and nothing else in a template that breaks it`, () => {
    const texts = { subject: "", html: "", text: "", filename: "", locale: "en" };
    const whole = { ...texts, variables: [], page: null, sample: {}, ...source };
    const common = { kind: "email" as const, variables: [], missing: [] };
    const found = lintTemplate({ ...common, ...input, source: whole });
    const said = found.map(({ rule, line }) => line === null ? rule : `${rule} ${line}`);
    assert.deepEqual(said, finds);
    const { severity, remedy } = LINT_RULES[rule as LintRule];
    for (const each of found) assert.deepEqual([each.severity, each.remedy], [severity, remedy]);
    for (const { message } of found) assert.match(message, /[^.]$/);
  });
}

test("lintTemplate() suggests a similar name for a wrong one", () => {
  const source = {
    ...{ subject: "{{nummber}}", html: "", text: "", filename: "", locale: "en", page: null },
    ...{ variables: [], sample: { number: 7 } },
  };
  const at = { line: 1, column: 1, usedIn: ["subject" as const] };
  const variables = ["nummber", "city"].map((name) => ({ name, paths: [name], ...at }));
  const found = lintTemplate({ kind: "email", source, variables, missing: [] });
  assert.deepEqual(found.map(({ message }) => message), [
    '"nummber" is not known: did you mean "number"?',
    '"city" is not known: the sample does not have it, and it is not declared',
  ]);
});
