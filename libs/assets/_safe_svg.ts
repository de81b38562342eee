import { Parser } from "htmlparser2";

/** An SVG image that can be shown anywhere. */
export interface SafeSvg {
  svg: string;
  /** In CSS pixels; 0 if the image has no size of its own. */
  width: number;
  height: number;
}

const MAX_DEPTH = 100;

/** What draws. Everything else is left out with its content: scripts, foreign content, links, animation. */
const ELEMENTS = new Set([
  ...["svg", "g", "defs", "symbol", "use", "title", "desc", "style", "switch"],
  ...["path", "rect", "circle", "ellipse", "line", "polyline", "polygon"],
  ...["text", "tspan", "textPath", "image", "marker", "pattern", "mask", "clipPath"],
  ...["linearGradient", "radialGradient", "stop", "filter"],
  ...["feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feConvolveMatrix"],
  ...["feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow", "feFlood"],
  ...["feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feMerge", "feMergeNode"],
  ...["feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight"],
  ...["feTile", "feTurbulence"],
]);

/** Names of attributes that draw, and no namespaces: `xmlns:evil` and `on…` are not among them. */
const ATTRIBUTE = /^(?!on)(?:xml:space|xml:lang|aria-[a-z]+|[a-z][a-zA-Z0-9-]*)$/;
const ADDRESSES = new Set(["href", "xlink:href"]);
/** Part of the same image, or a picture inside of it. */
const OWN_ADDRESS = /^(?:#[^\s]*|data:image\/(?:png|jpeg|gif|webp);base64,[a-z\d+/=\s]*)$/i;
const CSS_ESCAPES_OR_LOADS = /\\|@import|@namespace|expression\s*\(|-moz-binding|behavior\s*:/i;
const CSS_URL = /url\s*\(\s*(["']?)([^)"']*)\1\s*\)?/gi;
const OTHER_LOADS = /(?:image-set|image|src|element)\s*\(/i;

/**
 * Writes an SVG image anew with what draws: elements and attributes of an allow-list, and addresses that stay
 * inside of the image. Returns `undefined` if there is no `<svg>`, or it is nested too deep.
 *
 * What the parser does not understand is not written. The result is well-formed XML, so every reader sees
 * the same elements in it.
 */
export function safeSvg(text: string): SafeSvg | undefined {
  let written = "";
  let root: Readonly<Record<string, string>> | undefined;
  /** The written elements that are open. */
  const open: string[] = [];
  /** Depth inside of an element that is left out. */
  let skipped = 0;
  let isTooDeep = false;
  let css: string | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      const isRoot = root === undefined && open.length === 0 && name === "svg";
      if (open.length + skipped >= MAX_DEPTH) {
        isTooDeep = true;
        // The parser looks for each end tag among all open elements.
        return parser.pause();
      }
      const isShown = skipped === 0 && css === undefined && ELEMENTS.has(name) &&
        (isRoot || open.length > 0);
      if (!isShown) return void skipped++;
      open.push(name);
      if (isRoot) root = attributes;
      if (name === "style") css = "";
      const all = Object.entries(attributes).filter(isSafe);
      const own = all.map(([key, value]) => ` ${key}="${escaped(value)}"`).join("");
      written += `<${name}${isRoot ? NAMESPACES : ""}${own}>`;
    },
    ontext(data) {
      if (skipped > 0 || open.length === 0) return;
      if (css === undefined) written += escaped(data);
      else css += data;
    },
    onclosetag() {
      if (skipped > 0) return void skipped--;
      const name = open.pop();
      if (name === undefined) return;
      if (css !== undefined) {
        if (isSafeCss(css)) written += escaped(css);
        css = undefined;
      }
      written += `</${name}>`;
    },
  }, { xmlMode: true, decodeEntities: true });
  parser.end(text);
  if (root === undefined || isTooDeep) return undefined;
  return { svg: written, ...sizeOf(root) };
}

const NAMESPACES = ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

function isSafe([name, value]: [string, string]): boolean {
  if (ADDRESSES.has(name)) return OWN_ADDRESS.test(value.trim());
  return name !== "xmlns" && ATTRIBUTE.test(name) && isSafeCss(value);
}

/** Returns whether a style, or the value of an attribute that may be one, loads nothing from elsewhere. */
function isSafeCss(css: string): boolean {
  if (CSS_ESCAPES_OR_LOADS.test(css)) return false;
  const rest = css.replace(
    CSS_URL,
    (whole, _quote, address: string) => address.trim().startsWith("#") ? "" : whole,
  );
  return !/url\s*\(/i.test(rest) && !OTHER_LOADS.test(rest);
}

function escaped(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\u{0}-\u{8}\u{b}\u{c}\u{e}-\u{1f}\u{fffe}\u{ffff}]/gu, "").toWellFormed()
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function sizeOf({ width, height, viewBox }: Readonly<Record<string, string>>) {
  const [, , w = 0, h = 0] = (viewBox ?? "").trim().split(/[\s,]+/).map(Number);
  const [given, tall] = [pixelsOf(width), pixelsOf(height)];
  const ratio = w > 0 && h > 0 ? h / w : 0;
  const size = {
    width: given ?? (tall !== undefined && ratio > 0 ? tall / ratio : w),
    height: tall ?? (given !== undefined && ratio > 0 ? given * ratio : h),
  };
  return { width: whole(size.width), height: whole(size.height) };
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ "": 1, px: 1, pt: 4 / 3, pc: 16, in: 96, cm: 96 / 2.54, mm: 96 / 25.4 },
};

function pixelsOf(length: string | undefined): number | undefined {
  const [, number, unit = ""] =
    /^(\d{1,6}(?:\.\d{1,6})?)\s*([a-z]{0,2})$/.exec(length?.trim() ?? "") ?? [];
  const factor = UNITS[unit];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}

function whole(pixels: number): number {
  return Number.isFinite(pixels) && pixels > 0 && pixels < 1_000_000 ? Math.round(pixels) : 0;
}
