import { crc32, deflateSync } from "node:zlib";

/** A document that is made to exhaust a printer's time or memory. */
export interface PrintBomb {
  name: string;
  html(): string;
}

/** Documents that would cost an unguarded browser minutes or gigabytes. */
export const PRINT_BOMBS: readonly PrintBomb[] = [
  { name: "a million nodes", html: () => "<p>x".repeat(1_000_000) },
  { name: "a million words in columns", html: () => "<p style=columns:3>x y".repeat(180_000) },
  { name: "50,000 pages", html: () => "<p style=break-before:page>x".repeat(50_000) },
  { name: "50,000 pages of one height", html: () => "<div style=height:50000000px>x</div>" },
  { name: "an image of 900 million pixels", html: () => pngOf(30_000, 30_000) },
  {
    name: "40 images of 100 million pixels",
    html: () => Array.from({ length: 40 }, (_, n) => pngOf(10_000, 10_000 + n)).join(""),
  },
  { name: "an image that claims more than it has", html: () => pngOf(65_000, 65_000, 10) },
  { name: "frames in frames", html: () => nested(12) },
  {
    name: "frames by the thousand",
    html: () => `<iframe srcdoc="<table><tr><td>x"></iframe>`.repeat(20_000),
  },
  {
    name: "tables in tables",
    html: () => "<table><tr><td><table><tr><td style='width:50%'>x".repeat(200),
  },
  {
    name: "spans of cells",
    html: () => `<table>${"<tr><td colspan=1000 rowspan=65534>x".repeat(3000)}</table>`,
  },
  {
    name: "a grid of ten million columns",
    html: () => `<div style="display:grid;grid-template-columns:repeat(10000000,1px)">x</div>`,
  },
  {
    name: "counters",
    html: () =>
      `<style>p{counter-increment:a b c d}p::before{content:counters(a,".") counters(b,".")}` +
      `</style>${"<p><p><p>".repeat(60_000)}`,
  },
  {
    name: "filters",
    html: () =>
      `<p style="filter:${"blur(200px) ".repeat(200)};width:5000px;height:5000px;background:red">x`
        .repeat(200),
  },
  {
    name: "shadows",
    html: () =>
      `<p style="box-shadow:${
        Array.from({ length: 5000 }, (_, n) => `0 0 ${n}px ${n}px red`).join()
      }">x`.repeat(10),
  },
  {
    name: "SVG that refers to itself by tens",
    html: () => {
      const uses = (n: number) => `<use href="#g${n}"/>`.repeat(10);
      const groups = Array.from({ length: 9 }, (_, n) => `<g id=g${n + 1}>${uses(n)}</g>`);
      return `<svg><defs><rect id=g0 width=1 height=1 />${groups.join("")}</defs>${uses(9)}</svg>`;
    },
  },
  {
    name: "SVG noise",
    html: () =>
      `<svg width=9000 height=9000><filter id=n width=9000 height=9000><feTurbulence ` +
      `baseFrequency=9 numOctaves=99 /></filter><rect width=9000 height=9000 filter=url(#n) />` +
      `</svg>`.repeat(5),
  },
  {
    name: "variables that double",
    html: () => {
      const lines = Array.from({ length: 40 }, (_, n) => `--v${n + 1}:var(--v${n}) var(--v${n})`);
      return `<style>p{--v0:x;${lines.join(";")};content:var(--v40)}</style><p>x`;
    },
  },
  {
    name: "selectors that look everywhere",
    html: () =>
      `<style>${
        Array.from({ length: 300 }, (_, n) => `:has(b~i>u:nth-child(${n}n+1)) *{color:red}`).join(
          "",
        )
      }</style>${"<b><i><u>x</u></i></b>".repeat(30_000)}`,
  },
  {
    name: "fonts of noise",
    html: () =>
      Array.from(
        { length: 200 },
        (_, n) =>
          `<style>@font-face{font-family:f${n};src:url(data:font/woff2;base64,${
            noise(`wOF2${n}`, 9000)
          })}</style><p style="font-family:f${n}">x`,
      ).join(""),
  },
  { name: "text of a giant", html: () => `<p style="font-size:1e9px">${"x".repeat(10_000)}` },
  {
    name: "one line of a million",
    html: () => `<p style="white-space:nowrap">${"אa".repeat(900_000)}`,
  },
  { name: "marks on one letter", html: () => `<p>a${"\u0301".repeat(1_500_000)}` },
];

/** Returns a white PNG; with `lines`, one that ends after this many. */
function pngOf(width: number, height: number, lines = height): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit a pixel, grey.
  header[8] = 1;
  const pixels = deflateSync(Buffer.alloc(lines * (Math.ceil(width / 8) + 1)), { level: 9 });
  const chunks = [["IHDR", header], ["IDAT", pixels], ["IEND", Buffer.alloc(0)]] as const;
  const png = Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    ...chunks.map(([name, data]) => chunk(name, data)),
  ]);
  return `<img width=100 height=100 src="data:image/png;base64,${png.toString("base64")}">`;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

function nested(depth: number): string {
  let html = "<p>x";
  for (let n = 0; n < depth; n++) {
    const inner = html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    html = `<iframe srcdoc="${inner}"></iframe>`.repeat(2);
    if (html.length > 2_000_000) break;
  }
  return html;
}

function noise(head: string, bytes: number): string {
  const text = Buffer.alloc(bytes);
  text.write(head);
  let value = bytes;
  for (let at = 8; at < bytes; at++) {
    value = (value * 1103515245 + 12345) >>> 0;
    text[at] = value >>> 16;
  }
  return text.toString("base64");
}
