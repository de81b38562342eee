import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "./_compile_template.ts";
import { plainData } from "./_plain_data.ts";
import { type TranslatedProduct, translateTemplate } from "./translate_template.ts";

function translate(product: TranslatedProduct, source: string) {
  const { text, untranslated } = translateTemplate(source, { product });
  return { text, left: untranslated.map(({ line, text }) => `${line} ${text}`), untranslated };
}

function fill(text: string, data: object): string {
  return compileTemplate(text, { escape: "html" })(plainData(data)).replaceAll(/\s+/g, " ").trim();
}

test("translateTemplate() recounts the levels of Postmark's paths", () => {
  const { text, left } = translate(
    "postmark",
    `<p>Hi {{ name }},</p>
{{#receipt}}{{#each lines}}<td>{{description}} {{../currency}} {{../../name}}</td>{{/each}}
{{/receipt}}{{^discount}}<p>No discount, {{../name}}</p>{{/discount}}
{{#company.address}}<p>{{street}} {{../name}} {{../../name}}</p>{{/company.address}}
{{#each tags}}[{{.}}]{{/each}}{{{ note }}}`,
  );
  assert.deepEqual(left, []);
  assert.match(text, /\{\{#with receipt\}\}\{\{#each lines\}\}<td>\{\{description\}\}/);
  const data = {
    ...{
      name: "Ada",
      note: "<b>",
      tags: ["a", "b"],
      receipt: { lines: [{ description: "Desk" }] },
    },
    company: { name: "Acme", address: { street: "Main St" } },
  };
  // An item is a level of its own in Postmark: one step up from it is the list.
  assert.equal(
    fill(text, data),
    "<p>Hi Ada,</p> <td>Desk </td> <p>No discount, Ada</p> <p>Main St Acme Ada</p> [a][b]<b>",
  );
  const deep = translate(
    "postmark",
    "{{#each a.b.list}}{{x}}{{../../y}}{{../../../../z}}{{/each}}",
  );
  assert.equal(deep.text, "{{#each a.b.list}}{{x}}{{../a.b.y}}{{../z}}{{/each}}");
});

test("translateTemplate() lists the tags that Postmark fills itself, with their places", () => {
  const { text, untranslated } = translate(
    "postmark",
    '<body>{{{ @content }}}\n  <a href="{{{ pm:unsubscribe }}}">x</a>\n{{#each items}}</body>',
  );
  assert.match(text, /@content/);
  assert.deepEqual(untranslated.map(({ line, column, text }) => [line, column, text]), [
    [1, 7, "{{{ @content }}}"],
    [2, 12, "{{{ pm:unsubscribe }}}"],
    // The template check also finds other faults.
    [3, 1, "{{#each items}}</body>"],
  ]);
  for (const { why } of untranslated) assert.match(why, /\w/);
});

test("translateTemplate() turns SendGrid's comparing blocks into if, and insert into default", () => {
  const { text, left } = translate(
    "sendgrid",
    `{{#equals plan "pro"}}Pro{{else}}Free{{/equals}}{{#if vip}}!{{/if}}
{{#notEquals plan "pro"}}{{#greaterThan (length cart) 2}}many{{/greaterThan}}{{/notEquals}}
{{#and a b}}both{{/and}}{{#or a b}}any{{/or}}{{#each cart}}{{this.name}}{{@root.plan}}{{/each}}
Hi {{insert name "default=friend"}} {{{insert name}}}`,
  );
  assert.deepEqual(left, []);
  const data = { plan: "free", cart: [{ name: "x" }, { name: "y" }, { name: "z" }], a: true };
  assert.equal(fill(text, data), "Free many anyxfreeyfreezfree Hi friend");
  const rest = translate(
    "sendgrid",
    `<a href="<%asm_global_unsubscribe_raw_url%>">x</a>\n{{formatDate due "MMMM DD, YYYY"}}\n` +
      "{{{unsubscribe}}} {{formatDate due pattern}} {{#customHelper x}}y{{/customHelper}}",
  );
  assert.deepEqual(rest.left, [
    "1 <%asm_global_unsubscribe_raw_url%>",
    '2 {{formatDate due "MMMM DD, YYYY"}}',
    "3 {{{unsubscribe}}}",
    "3 {{formatDate due pattern}}",
  ]);
  assert.match(rest.text, /\{\{date due year="numeric" month="long" day="2-digit"\}\}/);
  const { left: unknown } = translate("sendgrid", "\n{{#customHelper x}}y{{/customHelper}}");
  assert.deepEqual(unknown, ["2 {{#customHelper x}}y{{/customHelper}}"]);
});

test("translateTemplate() turns Mailchimp's merge tags into variables and conditions", () => {
  const { text, left } = translate(
    "mailchimp",
    `Dear *|FNAME|*, *|UPPER:CITY|* *|HTML:NOTE|*
*|IF:PLAN=pro|*Pro*|ELSEIF:AGE >= 18|*Adult*|ELSE:|*Free*|END:IF|*
*|IFNOT:VIP|*no vip*|END:IF|* *|IF:FNAME != Bob|*x*|END:IF|*`,
  );
  assert.deepEqual(left, []);
  const data = { FNAME: "Ada", CITY: "rome", NOTE: "<i>", PLAN: "x", AGE: 20 };
  assert.equal(fill(text, data), "Dear Ada, ROME <i> Adult no vip x");
  const rest = translate("mailchimp", "*|UNSUB|*\n*|DATE:Y|* *|LIST:ADDRESS|*\n*|END:IF|*");
  assert.deepEqual(rest.left, [
    "1 *|UNSUB|*",
    "2 *|DATE:Y|*",
    "2 *|LIST:ADDRESS|*",
    "3 *|END:IF|*",
  ]);
});

test("translateTemplate() reads Mandrill's conditions in backticks, and its merge tags", () => {
  const { text, left } = translate(
    "mandrill",
    '{{#if `plan == "pro" && seats > 3`}}big{{elseif `!trial`}}paid{{else}}trial{{/if}}\n' +
      "{{#each items}}{{upper name}} {{/each}}{{url q}} *|FNAME|*",
  );
  assert.deepEqual(left, []);
  const data = { plan: "x", items: [{ name: "a" }], q: "a b", FNAME: "Ada" };
  assert.equal(fill(text, data), "paid A a%20b Ada");
  const rest = translate(
    "mandrill",
    '<div mc:edit="main">x</div>\n{{title name}} {{#if `a && b || c`}}x{{/if}}\n{{unsub "https://x"}}',
  );
  assert.deepEqual(rest.left, [
    '1 mc:edit="main"',
    "2 {{title name}}",
    "2 {{#if `a && b || c`}}",
    '3 {{unsub "https://x"}}',
  ]);
});
