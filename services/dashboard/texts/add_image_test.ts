import assert from "node:assert/strict";
import { test } from "node:test";
import { oneByDay } from "@posthaste/kit";
import { publishEmail } from "@posthaste/templating";
import { EXAMPLES } from "../templates/examples.ts";
import { addImage } from "./add_image.ts";
import { imageRanges } from "./image_ranges.ts";
import type { ImagePlace } from "./image_spot.ts";
import { textRanges } from "./text_ranges.ts";

const TOP = { side: "top" } as const;
const above = (text: number): ImagePlace => ({ side: "above", text });
const below = (text: number): ImagePlace => ({ side: "below", text });

const write = ({ isMjml }: { isMjml: boolean }) => isMjml ? "<mj-image />" : "<img>";

/** Expects that an image is added where `expected` has it, and that all else stays. */
function expectAdded(source: string, place: ImagePlace, expected: string): void {
  assert.equal(addImage(source, place, write), expected, `${JSON.stringify(place)} in ${source}`);
}

test("addImage() puts an image above and below a paragraph, on a line of its own", () => {
  const source = "<body>\n  <p>One</p>\n  <h1>Two</h1>  \n</body>\n";
  expectAdded(source, above(0), "<body>\n  <img>\n  <p>One</p>\n  <h1>Two</h1>  \n</body>\n");
  expectAdded(source, below(0), "<body>\n  <p>One</p>\n  <img>\n  <h1>Two</h1>  \n</body>\n");
  expectAdded(source, below(1), "<body>\n  <p>One</p>\n  <h1>Two</h1>  \n  <img>\n</body>\n");
  expectAdded("<td><p>One</p></td>", above(0), "<td>\n<img>\n<p>One</p></td>");
  expectAdded("<p>One</p>", below(0), "<p>One</p>\n<img>");
  expectAdded("<p>One\n<p>Two", above(1), "<p>One\n<br><img>\n<p>Two");
});

test("addImage() keeps line ends and tabs", () => {
  const source = "<body>\r\n\t<p>One</p>\r\n</body>";
  expectAdded(source, above(0), "<body>\r\n\t<img>\r\n\t<p>One</p>\r\n</body>");
  expectAdded(source, below(0), "<body>\r\n\t<p>One</p>\r\n\t<img>\r\n</body>");
  expectAdded(
    "<mjml>\r\n\t<mj-body>\r\n\t</mj-body>\r\n</mjml>",
    TOP,
    "<mjml>\r\n\t<mj-body>\r\n\t\t<mj-section>\r\n\t\t\t<mj-column>\r\n\t\t\t\t<mj-image />\r\n" +
      "\t\t\t</mj-column>\r\n\t\t</mj-section>\r\n\t</mj-body>\r\n</mjml>",
  );
});

test("addImage() stays within the cell or list item of a text, and breaks the line beside words", () => {
  const source = "<table>\n  <tr>\n    <td>One</td>\n    <td><p>Two</p></td>\n  </tr>\n</table>";
  expectAdded(source, above(0), source.replace("One", "\n    <img><br>\n    One"));
  expectAdded(source, below(0), source.replace("One", "One\n    <br><img>\n    "));
  expectAdded(source, below(1), source.replace("</p>", "</p>\n    <img>\n    "));
  expectAdded("<ul><li>One</li></ul>", above(0), "<ul><li>\n<img><br>\nOne</li></ul>");
  expectAdded("One<p>Two</p>", above(1), "One\n<br><img>\n<p>Two</p>");
  expectAdded('<img src="a"><p>Two</p>', above(0), '<img src="a">\n<br><img>\n<p>Two</p>');
});

test("addImage() breaks no line at the edges of inline elements that are no part of a text", () => {
  const source = "<td><span>One<!-- note --></span></td>";
  expectAdded(source, above(0), source.replace("One", "\n<img><br>\nOne"));
  expectAdded(source, below(0), source.replace("One", "One\n<br><img>\n"));
  const paragraph = `<p>${source.slice(4, -5)}</p>`;
  expectAdded(paragraph, above(0), `<img>\n${paragraph}`);
  expectAdded(paragraph, below(0), `${paragraph}\n<img>`);
  const link = '<td><a href="a">\n  <p>One</p>\n</a></td>';
  expectAdded(link, above(0), link.replace("<p>", "<img>\n  <p>"));
  const beside = '<b>Two <img src="a"></b><a href="b"><p>One</p></a>';
  expectAdded(beside, above(1), beside.replace("<p>", "\n<br><img>\n<p>"));
});

test("addImage() stays inside of an element whose children may be side by side", () => {
  const source = '<div class="row">\n  <p>One</p>\n  <p>Two</p>\n</div>';
  expectAdded(source, above(1), source.replace("Two", "\n  <img><br>\n  Two"));
  expectAdded("<div>One</div>", below(0), "<div>One\n<br><img>\n</div>");
});

test("addImage() stays inside of the conditions and loops around a text", () => {
  const list = "{{#each lines}}\n  <p>{{ this }}</p>\n{{else}}\n  <p>None</p>\n{{/each}}\n";
  expectAdded(list, above(0), list.replace("  <p>{{", "  <img>\n  <p>{{"));
  expectAdded(list, below(0), list.replace("}}</p>", "}}</p>\n  <img>"));
  expectAdded(list, below(1), list.replace("None</p>", "None</p>\n  <img>"));
  const rows = "<table>{{#each a}}<tr><td>{{ b }}</td></tr>{{/each}}</table>";
  expectAdded(rows, above(0), rows.replace("<td>", "<td>\n<img><br>\n"));
  const part = "<p>{{#if a}}Hi{{/if}}</p>";
  expectAdded(part, above(0), `<img>\n${part}`);
  const branches = '{{#if a}}<p class="b">{{else}}<p>{{/if}}Hi</p>';
  expectAdded(branches, above(0), branches.replace("Hi", "\n<img><br>\nHi"));
  expectAdded(branches, below(0), `${branches}\n<img>`);
});

const MJML = `<mjml>
  <mj-head><mj-preview>Inbox</mj-preview></mj-head>
  <mj-body>
    <mj-wrapper>
      <mj-section>
        <mj-column>
          <mj-text>One</mj-text>
          <mj-text>
            {{#if vip}}<p>Two</p>{{/if}}
            <p>Three</p>
          </mj-text>
          <mj-button href="{{ url }}">Four</mj-button>
          <mj-table><tr><td>Five</td></tr></mj-table>
          <mj-raw>{{#each lines}}</mj-raw>
          <mj-text><div>Six</div></mj-text>
          <mj-raw>{{/each}}</mj-raw>
          <mj-accordion><mj-accordion-element><mj-accordion-text>Seven</mj-accordion-text></mj-accordion-element></mj-accordion>
        </mj-column>
      </mj-section>
    </mj-wrapper>
    <mj-raw>
      <p>Eight</p>
    </mj-raw>
  </mj-body>
</mjml>
`;

test("addImage() writes mj-image into columns of MJML, and <img> where it may not stand", () => {
  const added = (text: string, image: string, isAbove = true) =>
    isAbove ? MJML.replace(text, image + text) : MJML.replace(text, text + image);
  const space = "\n          ";
  expectAdded(MJML, above(1), added("<mj-text>One", `<mj-image />${space}`));
  expectAdded(MJML, below(1), added("One</mj-text>", `${space}<mj-image />`, false));
  // Only for those who see the text.
  expectAdded(MJML, above(2), added("<p>Two", `${space}  <img>${space}  `));
  expectAdded(MJML, below(2), added("Two</p>", `${space}  <img>${space}  `, false));
  expectAdded(MJML, above(3), added("<p>Three", `<img>${space}  `));
  expectAdded(
    MJML,
    below(3),
    added("Three</p>\n          </mj-text>", `${space}<mj-image />`, false),
  );
  expectAdded(MJML, below(4), added("Four</mj-button>", `${space}<mj-image />`, false));
  expectAdded(MJML, below(5), added("Five", `${space}<br><img>${space}`, false));
  expectAdded(MJML, below(6), added("Six</div></mj-text>", `${space}<mj-image />`, false));
  expectAdded(MJML, above(7), added("<mj-accordion>", `<mj-image />${space}`));
  expectAdded(MJML, above(8), added("<p>Eight", "<img>\n      "));
  // In front of the subject of an inbox, there are no images.
  assert.deepEqual([addImage(MJML, above(0), write), addImage(MJML, below(9), write)], [
    null,
    null,
  ]);
});

test("addImage() puts an image above all else", () => {
  expectAdded("", TOP, "<img>\n");
  expectAdded("<!doctype html>\n<p>One</p>\n", TOP, "<!doctype html>\n<img>\n<p>One</p>\n");
  expectAdded("<body></body>", TOP, "<body>\n<img>\n</body>");
  expectAdded("<body>Words", TOP, "<body>\n<img><br>\nWords");
  expectAdded("<!doctype html>\n", TOP, "<!doctype html>\n<img>\n");
  const page =
    "<html><head><title>{{ a }}</title></head>\n<style>p {}</style>\n{{#if a}}<p>{{/if}}";
  expectAdded(page, TOP, page.replace("{{#if", "<img>\n{{#if"));
  const layout = '{{#> base}}\n{{#*inline "head"}}<p>x</p>{{/inline}}\n  <p>One</p>\n{{/base}}';
  expectAdded(layout, TOP, layout.replace("<p>One", "<img>\n  <p>One"));
});

test("addImage() puts an image into the first column of MJML, if nothing is beside it", () => {
  expectAdded(MJML, TOP, MJML.replace("<mj-text>One", "<mj-image />\n          <mj-text>One"));
  const body = (content: string) => `<mjml><mj-body>\n  ${content}\n</mj-body></mjml>`;
  const one = body("<mj-hero><mj-text>One</mj-text></mj-hero>");
  expectAdded(one, TOP, one.replace("<mj-hero>", "<mj-hero>\n  <mj-image />\n  "));
  const empty = body("<mj-section><mj-column></mj-column></mj-section>");
  expectAdded(empty, TOP, empty.replace("<mj-column>", "<mj-column>\n    <mj-image />\n  "));
  const section =
    "<mj-section>\n    <mj-column>\n      <mj-image />\n    </mj-column>\n  </mj-section>";
  for (
    const content of [
      "<mj-section><mj-column></mj-column><mj-column></mj-column></mj-section>",
      "<mj-raw>{{#if a}}</mj-raw><mj-section><mj-column></mj-column></mj-section><mj-raw>{{/if}}</mj-raw>",
    ]
  ) {
    expectAdded(body(content), TOP, body(`${section}\n  ${content}`));
  }
  const layout =
    "{{#> base}}\n<mj-section><mj-column>\n<mj-text>One</mj-text></mj-column></mj-section>{{/base}}";
  expectAdded(layout, TOP, layout.replace("<mj-text>", "<mj-image />\n<mj-text>"));
  assert.equal(addImage("<mjml><mj-head></mj-head></mjml>", TOP, write), null);
});

test("addImage() takes no name of an element in the styles of MJML for the body", () => {
  for (const name of ["mj-body", "body", "mj-column"]) {
    const source = `<mjml>
  <mj-head><mj-style>/* <${name}> */ p { margin: 0 }</mj-style></mj-head>
  <mj-body>
    <mj-section><mj-column><mj-text>One</mj-text></mj-column></mj-section>
  </mj-body>
</mjml>`;
    expectAdded(source, TOP, source.replace("<mj-text>", "\n    <mj-image />\n    <mj-text>"));
  }
});

test("addImage() changes nothing else in the examples, and they can be published with the images", async () => {
  const tag = ({ isMjml }: { isMjml: boolean }) =>
    isMjml ? '<mj-image src="https://a.example/b.png" alt="" />' : '<img src="b" alt="">';
  for (const kind of ["email", "pdf"] as const) {
    for (const { id, source: { html: before = "" } } of EXAMPLES[kind]) {
      const texts = textRanges(before).map(({ start, end }) => before.slice(start, end));
      const places = [TOP, ...texts.flatMap((_, text) => [above(text), below(text)])];
      let all = before;
      let count = imageRanges(before).length;
      for (const place of places) {
        const one = addImage(before, place, tag);
        if (one === null) continue;
        const added = tag({
          isMjml: one.split("<mj-image").length > before.split("<mj-image").length,
        });
        assert.ok(isOneInsertion(before, one, added), `${id}: ${JSON.stringify(place)}`);
        all = addImage(all, place, tag) ?? all;
        count++;
      }
      const ranges = textRanges(all);
      assert.deepEqual(ranges.map(({ start, end }) => all.slice(start, end)), texts, id);
      assert.equal(imageRanges(all).length, count);
      if (kind === "email") await publishEmail({ subject: "x", html: all });
    }
  }
});

/** Returns whether `after` is `before` with one place at which something was inserted: lines with an image. */
function isOneInsertion(before: string, after: string, image: string): boolean {
  const length = after.length - before.length;
  let same = 0;
  while (same < before.length && before[same] === after[same]) same++;
  for (let at = same; at >= 0 && at > same - length; at--) {
    if (after.slice(0, at) + after.slice(at + length) !== before) continue;
    const around = after.slice(at, at + length).replace(image, "");
    if (around.length < length && /^(?:\s|<\/?(?:mj-section|mj-column|br)>)*$/.test(around)) {
      return true;
    }
  }
  return false;
}

test("addImage() takes time proportional to the length of malicious sources", () => {
  const pieces = [
    "<p>",
    "</p>",
    "<div></p>",
    "<p>x<div>",
    "{{#if a}}",
    "<!--",
    "{{!",
    "<td>x",
    "<mj-wrapper>",
    "<mj-section>",
    "<",
  ];
  for (const [index, piece] of pieces.entries()) {
    const source = piece.repeat(200_000 / piece.length);
    for (const place of oneByDay([TOP, above(0), below(0)], index)) {
      const added = addImage(source, place, write);
      assert.ok(added === null || added.length > source.length, piece);
    }
  }
});
