// @ts-check
import { sizeOf } from "./format.js";
import { h } from "./h.js";

/** @typedef {import("./app.js").Mail} Mail */

const SOURCE_SHOWN = 1_000_000;

/** @type {{ key: string, name: string, count?: (mail: Mail) => number }[]} */
export const TABS = [
  { key: "html", name: "HTML" },
  { key: "text", name: "Text" },
  { key: "source", name: "Source" },
  { key: "headers", name: "Headers" },
  { key: "attachments", name: "Attachments", count: (mail) => mail.attachments.length },
];

/**
 * @param {HTMLElement} view
 * @param {Mail} mail
 * @param {string} tab
 */
export function drawView(view, mail, tab) {
  const draw = { html, text, headers, attachments }[tab];
  view.className = tab === "html" && mail.html ? "view stage" : "view";
  view.scrollTop = 0;
  view.replaceChildren(...(draw ? draw(mail) : []));
  if (tab === "source") drawSource(view, mail);
}

/** @param {Mail} mail */
function html(mail) {
  if (!mail.html) return [h("p", { class: "hint" }, ["This mail has no HTML part."])];
  return [h("iframe", {
    src: `/api/messages/${mail.id}/html`,
    sandbox: "allow-popups allow-popups-to-escape-sandbox",
    title: `HTML of “${mail.subject}”`,
    referrerpolicy: "no-referrer",
  })];
}

/** @param {Mail} mail */
function text(mail) {
  if (!mail.text) return [h("p", { class: "hint" }, ["This mail has no text part."])];
  return [h("pre", { class: "plain" }, [mail.text])];
}

/** @param {Mail} mail */
function headers(mail) {
  return [h("table", {}, [
    h("thead", {}, [
      h("tr", {}, [h("th", { scope: "col" }, ["Header"]), h("th", { scope: "col" }, ["Value"])]),
    ]),
    h(
      "tbody",
      {},
      mail.headers.map(({ name, value }) =>
        h("tr", {}, [h("th", { scope: "row" }, [name]), h("td", { class: "value" }, [value])])
      ),
    ),
  ])];
}

/** @param {Mail} mail */
function attachments(mail) {
  if (mail.attachments.length === 0) {
    return [h("p", { class: "hint" }, ["This mail has no attachments."])];
  }
  return [h("table", {}, [
    h("thead", {}, [h("tr", {}, [
      h("th", { scope: "col" }, ["File"]),
      h("th", { scope: "col", class: "type" }, ["Type"]),
      h("th", { scope: "col" }, ["Size"]),
      h("td", {}),
    ])]),
    h(
      "tbody",
      {},
      mail.attachments.map((file) => {
        const href = `/api/messages/${mail.id}/attachments/${file.index}`;
        const shown = /^(application\/pdf|image\/(png|jpeg|gif|webp|avif)|text\/plain)$/.test(
          file.contentType,
        );
        return h("tr", {}, [
          h("td", {}, [file.inline ? `${file.filename} (shown in the HTML)` : file.filename]),
          h("td", { class: "type" }, [file.contentType]),
          h("td", { class: "number" }, [sizeOf(file.size)]),
          h("td", { class: "acts" }, [
            ...(shown
              ? [
                h("a", {
                  class: "button",
                  href,
                  target: "_blank",
                  "aria-label": `Open ${file.filename}`,
                }, ["Open"]),
              ]
              : []),
            h("a", {
              class: "button quiet",
              href: `${href}?download`,
              "aria-label": `Download ${file.filename}`,
            }, ["Download"]),
          ]),
        ]);
      }),
    ),
  ])];
}

/**
 * @param {HTMLElement} view
 * @param {Mail} mail
 */
async function drawSource(view, mail) {
  const href = `/api/messages/${mail.id}/raw`;
  const source = h("pre", {}, ["Loading"]);
  view.replaceChildren(source);
  const raw = await (await fetch(href)).text();
  source.textContent = raw.slice(0, SOURCE_SHOWN);
  if (raw.length > SOURCE_SHOWN) {
    source.before(h("p", { class: "hint" }, [
      `The first ${sizeOf(SOURCE_SHOWN)} of ${sizeOf(mail.size)}. `,
      h("a", { href: `${href}?download` }, ["Save the whole mail"]),
    ]));
  }
}
