// @ts-check
import { ago, fullTime, kindOf, sizeOf } from "./format.js";
import { h } from "./h.js";
import { drawView, TABS } from "./views.js";

/**
 * @typedef {{ name: string, address: string }} Person
 * @typedef {{ index: number, filename: string, contentType: string, size: number, inline: boolean }} File
 * @typedef {{ id: string, messageId: string, from: Person, to: Person[], subject: string, date: string,
 *   receivedAt: string, size: number, attachments: File[] }} Summary
 * @typedef {Summary & { cc: Person[], replyTo: Person[], headers: { name: string, value: string }[],
 *   text: string | null, html: string | null }} Mail
 */

const SEEN = "inbox-seen";
const at = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const panes = at("panes");
const list = at("mails");
const search = at("search");
const view = at("view");

/** @type {Summary[]} */
let mails = [];
/** @type {Mail | null} */
let mail = null;
let loaded = false;
let tab = "html";
let width = "wide";
const seen = new Set(JSON.parse(localStorage.getItem(SEEN) ?? "[]"));

const chosen = () => location.hash.slice(2);
const shown = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  return mails.filter((one) => {
    const people = [one.from, ...one.to].flatMap(({ name, address }) => [name, address]);
    const files = one.attachments.map(({ filename }) => filename);
    const text = [...people, one.subject, ...files].join("\n").toLowerCase();
    return words.every((word) => text.includes(word));
  });
};

async function load() {
  const response = await fetch("/api/messages");
  if (!response.ok) return;
  mails = await response.json();
  loaded = true;
  drawList();
  if (chosen() && !mails.some(({ id }) => id === chosen())) location.hash = "";
  drawReader();
}

function drawList() {
  const found = shown();
  const focused = document.activeElement?.closest("#mails a")?.getAttribute("href");
  list.replaceChildren(...found.map(row));
  if (focused) list.querySelector(`[href="${focused}"]`)?.focus();
  const all = `${mails.length} ${mails.length === 1 ? "mail" : "mails"}`;
  at("tally").textContent = mails.length === 0
    ? ""
    : found.length === mails.length
    ? all
    : `${found.length} of ${all}`;
  at("clear").disabled = mails.length === 0;
  const fresh = mails.filter(({ id }) => !seen.has(id)).length;
  document.title = fresh ? `(${fresh}) Development inbox` : "Development inbox";
}

/** @param {Summary} one */
function row(one) {
  const files = one.attachments.filter(({ inline }) => !inline).length;
  const fact = files
    ? `${files} ${files === 1 ? "file" : "files"}, ${sizeOf(one.size)}`
    : sizeOf(one.size);
  const current = one.id === chosen() ? { "aria-current": "true" } : {};
  return h("li", {}, [
    h("a", { href: `#/${one.id}`, class: seen.has(one.id) ? "" : "new", ...current }, [
      h("span", { class: "who" }, [one.from.name || one.from.address || "(no sender)"]),
      h("time", { class: "when", datetime: one.receivedAt, title: fullTime(one.receivedAt) }, [
        ago(one.receivedAt),
      ]),
      h("span", { class: "what" }, [one.subject || "(no subject)"]),
      h("span", { class: "whom" }, [
        `to ${one.to.map(({ address }) => address).join(", ") || "nobody named"}`,
      ]),
      h("span", { class: "facts" }, [fact]),
    ]),
  ]);
}

async function drawReader() {
  const id = chosen();
  panes.classList.toggle("reading", id !== "");
  panes.classList.toggle("bare", loaded && mails.length === 0);
  at("mail").hidden = id === "" || mail?.id !== id;
  at("empty").hidden = id !== "" || !loaded;
  if (id === "") {
    mail = null;
    return at("empty").replaceChildren(...emptyText());
  }
  if (mail?.id === id) return;
  const response = await fetch(`/api/messages/${id}`);
  if (!response.ok || id !== chosen()) return;
  mail = await response.json();
  seen.add(id);
  localStorage.setItem(SEEN, JSON.stringify([...seen].slice(-2000)));
  drawList();
  list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  drawMail(/** @type {Mail} */ (mail));
}

function emptyText() {
  if (mails.length > 0) {
    return [
      h("h2", {}, ["Choose a mail to read it"]),
      h("p", {}, ["Press j for the next one. New mail shows up by itself."]),
    ];
  }
  const host = location.hostname;
  return [
    h("h2", {}, ["Nothing caught yet"]),
    h("p", {}, [
      "Send a mail to this SMTP server and it appears here immediately. Nothing leaves this machine, so any recipient is safe to use.",
    ]),
    h("dl", {}, [
      h("dt", {}, ["Server"]),
      h("dd", {}, [host]),
      h("dt", {}, ["Port"]),
      h("dd", {}, [document.body.dataset["smtpPort"] ?? "1025"]),
      h("dt", {}, ["Security"]),
      h("dd", {}, ["none"]),
      h("dt", {}, ["Login"]),
      h("dd", {}, ["any, or none"]),
    ]),
  ];
}

/** @param {Mail} one */
function drawMail(one) {
  at("mail").hidden = false;
  at("subject").textContent = one.subject || "(no subject)";
  at("save").href = `/api/messages/${one.id}/raw?download`;
  const rows = /** @type {[string, Person[]][]} */ ([
    ["From", [one.from]],
    ["To", one.to],
    ["Cc", one.cc],
    ["Reply to", one.replyTo],
  ]).filter(([, people]) => people.length > 0);
  at("people").replaceChildren(
    ...rows.flatMap(([name, people]) => [h("dt", {}, [name]), h("dd", {}, people.flatMap(person))]),
    h("dt", {}, ["Received"]),
    h("dd", {}, [h("time", { datetime: one.receivedAt }, [fullTime(one.receivedAt)])]),
  );
  at("files").replaceChildren(
    ...one.attachments.filter(({ inline }) => !inline).map((file) =>
      h("li", {}, [
        h("a", {
          href: `/api/messages/${one.id}/attachments/${file.index}`,
          target: "_blank",
          title: `Open ${file.filename}`,
        }, [
          h("span", { class: "kind", "aria-hidden": "true" }, [kindOf(file)]),
          h("span", { class: "name" }, [file.filename]),
          h("span", { class: "size" }, [sizeOf(file.size)]),
        ]),
      ])
    ),
  );
  if (tab === "html" && !one.html) tab = "text";
  else if (tab === "text" && !one.text && one.html) tab = "html";
  drawTabs(one);
}

/**
 * @param {Person} person
 * @param {number} index
 */
function person({ name, address }, index) {
  const shown = name
    ? [name, " ", h("span", { class: "address" }, [address])]
    : [address || "(none)"];
  return index ? [", ", ...shown] : shown;
}

/** @param {Mail} one */
function drawTabs(one) {
  at("tabs").replaceChildren(...TABS.map(({ key, name, count }) => {
    const number = count?.(one);
    return h("button", {
      type: "button",
      role: "tab",
      id: `tab-${key}`,
      "aria-controls": "view",
      "data-tab": key,
      "aria-selected": String(key === tab),
      tabindex: key === tab ? "0" : "-1",
    }, [number ? `${name} ${number}` : name]);
  }));
  view.setAttribute("aria-labelledby", `tab-${tab}`);
  at("widths").hidden = tab !== "html" || !one.html;
  for (const button of at("widths").children) {
    button.setAttribute("aria-pressed", String(button.dataset.width === width));
  }
  drawView(view, one, tab);
  view.classList.toggle("phone", width === "phone" && view.classList.contains("stage"));
}

/** @param {string} key */
function chooseTab(key) {
  tab = key;
  if (mail) drawTabs(mail);
  document.getElementById(`tab-${key}`)?.focus();
}

/** @param {number} by */
function move(by) {
  const found = shown();
  const now = found.findIndex(({ id }) => id === chosen());
  const next = found[now < 0 ? 0 : Math.min(found.length - 1, Math.max(0, now + by))];
  if (next) location.hash = `/${next.id}`;
}

async function remove() {
  const id = chosen();
  if (!id) return;
  const found = shown();
  const now = found.findIndex((one) => one.id === id);
  const next = found[now + 1] ?? found[now - 1];
  await fetch(`/api/messages/${id}`, { method: "DELETE" });
  location.hash = next && matchMedia("(min-width: 781px)").matches ? `/${next.id}` : "";
}

at("tabs").addEventListener("click", (/** @type {any} */ event) => {
  const key = event.target.closest("[data-tab]")?.dataset.tab;
  if (key) chooseTab(key);
});
at("tabs").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!by) return;
  const now = TABS.findIndex(({ key }) => key === tab);
  chooseTab(TABS.at((now + by) % TABS.length)?.key ?? tab);
});
at("widths").addEventListener("click", (/** @type {any} */ event) => {
  width = event.target.dataset.width ?? width;
  view.classList.toggle("phone", width === "phone");
  for (const button of at("widths").children) {
    button.setAttribute("aria-pressed", String(button.dataset.width === width));
  }
});
at("back").addEventListener("click", () => location.hash = "");
at("remove").addEventListener("click", remove);
at("clear").addEventListener("click", () => at("sure").showModal());
at("sure").addEventListener("close", async () => {
  if (at("sure").returnValue !== "yes") return;
  at("sure").returnValue = "";
  await fetch("/api/messages", { method: "DELETE" });
});
search.addEventListener("input", drawList);
addEventListener("hashchange", () => {
  drawList();
  drawReader();
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("sure").open) return;
  const target = /** @type {Element} */ (event.target);
  if (target === search) {
    if (event.key === "Escape") search.blur();
    if (event.key !== "ArrowDown") return;
    search.blur();
  }
  const inView = target.closest("#view, #tabs");
  const arrows = inView ? {} : { ArrowDown: () => move(1), ArrowUp: () => move(-1) };
  const act = {
    j: () => move(1),
    k: () => move(-1),
    "/": () => search.focus(),
    Delete: remove,
    Escape: () => location.hash = "",
    ...arrows,
  }[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

const events = new EventSource("/api/events");
events.addEventListener("changed", load);
events.onopen = () => {
  at("live").className = "live on";
  at("live").textContent = "Live";
};
events.onerror = () => {
  at("live").className = "live";
  at("live").textContent = "Connecting";
};
setInterval(() => {
  for (const time of list.querySelectorAll("time")) time.textContent = ago(time.dateTime);
}, 60_000);
load();
