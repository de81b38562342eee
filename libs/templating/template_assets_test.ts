import assert from "node:assert/strict";
import { test } from "node:test";
import { checkTemplate } from "./check_template.ts";
import { compileTemplate } from "./_compile_template.ts";
import { publishEmail, publishPdf } from "./publish.ts";
import { openSandbox } from "./sandbox.ts";
import { templateAssets } from "./template_assets.ts";

const IMAGE = '<img src="{{asset "logo"}}" alt="Shop">';

test("publishEmail() and publishPdf() return the stored images that the HTML names, each at its first place", async () => {
  const html =
    `<style>p { color: red }</style>\n<p>${IMAGE}${IMAGE}</p>\n<hr style="--a: '{{asset 'mark'}}'">`;
  const places = [{ name: "logo", line: 2, column: 14 }, { name: "mark", line: 3, column: 18 }];
  const email = await publishEmail({ subject: "Hi", html });
  assert.deepEqual(email.assets, places);
  assert.match(email.html, /src="\{\{asset "logo"\}\}"/);
  assert.deepEqual(publishPdf({ html }).assets, places);
  assert.deepEqual(email.variables, []);
  const mjml = `<mjml><mj-body><mj-section><mj-column>
<mj-image src="{{asset "logo"}}" alt="Shop" width="100px" /></mj-column></mj-section></mj-body></mjml>`;
  const compiled = await publishEmail({ subject: "Hi", html: mjml });
  assert.deepEqual(compiled.assets, [{ name: "logo", line: 2, column: 16 }]);
  assert.match(compiled.html, /src="\{\{asset "logo"\}\}"/);
});

test("templateAssets() finds images in blocks and arguments, and takes the variable asset for no call", () => {
  const html =
    '{{asset}}{{#if a}}{{#each b}}{{asset "x"}}{{/each}}{{else}}{{upper (asset "y")}}{{/if}}';
  assert.deepEqual(templateAssets(html).map(({ name }) => name), ["x", "y"]);
  assert.deepEqual(templateAssets("{{#if}"), []);
});

test("checkTemplate() accepts asset only with a fixed name, in HTML, for so many images", () => {
  const faultsOf = (parts: Record<string, string>) =>
    checkTemplate(parts).map(({ part, line, column, message }) =>
      `${part} ${line}:${column} ${message}`
    );
  assert.deepEqual(faultsOf({ html: IMAGE }), []);
  assert.deepEqual(faultsOf({ html: "<p>{{asset name}}{{asset (lookup a 1)}}" }), [
    'html 1:4 "asset" takes the name of a stored image in quotes: write {{asset "logo"}}',
    'html 1:18 "asset" takes the name of a stored image in quotes: write {{asset "logo"}}',
  ]);
  assert.deepEqual(faultsOf({ subject: '{{asset "a"}}', text: '{{asset "a"}}' }), [
    'subject 1:1 "asset" works in the HTML only',
    'text 1:1 "asset" works in the HTML only',
  ]);
  const many = Array.from({ length: 51 }, (_, n) => `{{asset "i${n}"}}`).join("\n");
  assert.deepEqual(faultsOf({ html: many }), [
    "html 51:1 A template shows at most 50 different images",
  ]);
});

test("asset writes the address as it is, and fails for an image that is not there", () => {
  const fill = (source: string, assets?: Record<string, string>) =>
    compileTemplate(source, { escape: "html", assets })({});
  const address = "data:image/png;base64,iVBORw0KGgo=";
  assert.equal(fill(IMAGE, { logo: address }), `<img src="${address}" alt="Shop">`);
  assert.throws(() => fill(IMAGE), /Cannot show the image "logo": no such image is stored/);
  assert.throws(() => fill('{{asset "toString"}}', {}), /no such image/);
});

test("openSandbox() fills a template with the addresses of each fill, also under one key", async () => {
  await using sandbox = openSandbox({ workers: 1 });
  const source = { key: "a", source: IMAGE, escape: "html" as const };
  for (const logo of ["cid:logo", "cid:logo", "https://x.example/logo"]) {
    const { html } = await sandbox.render({ html: { ...source, assets: { logo } } }, {});
    assert.equal(html, `<img src="${logo}" alt="Shop">`);
  }
});
