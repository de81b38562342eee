import { hash, randomUUID } from "node:crypto";
import { access, copyFile, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { type InstalledPackage, installedPackage } from "./installed_package.ts";

/** Font packages and their scripts. Packages that are not installed are left out. */
const FONT_PACKAGES = [
  "@expo-google-fonts/noto-sans", // Latin, Cyrillic, Greek, Devanagari
  "@expo-google-fonts/noto-serif",
  "@expo-google-fonts/noto-sans-mono",
  "@embedpdf/fonts-sc", // Chinese, simplified and traditional
  "@expo-google-fonts/biz-udpgothic", // Japanese
  "@expo-google-fonts/nanum-gothic", // Korean
  "@embedpdf/fonts-arabic",
  "@embedpdf/fonts-hebrew",
  "@expo-google-fonts/noto-sans-thai",
  "@expo-google-fonts/noto-sans-adlam",
  "@expo-google-fonts/noto-sans-armenian",
  "@expo-google-fonts/noto-sans-bengali",
  "@expo-google-fonts/noto-sans-canadian-aboriginal",
  "@expo-google-fonts/noto-sans-cherokee",
  "@expo-google-fonts/noto-sans-ethiopic",
  "@expo-google-fonts/noto-sans-georgian",
  "@expo-google-fonts/noto-sans-gujarati",
  "@expo-google-fonts/noto-sans-gurmukhi",
  "@expo-google-fonts/noto-sans-kannada",
  "@expo-google-fonts/noto-sans-khmer",
  "@expo-google-fonts/noto-sans-lao",
  "@expo-google-fonts/noto-sans-malayalam",
  "@expo-google-fonts/noto-sans-meetei-mayek",
  "@expo-google-fonts/noto-sans-mongolian",
  "@expo-google-fonts/noto-sans-myanmar",
  "@expo-google-fonts/noto-sans-nko",
  "@expo-google-fonts/noto-sans-ol-chiki",
  "@expo-google-fonts/noto-sans-oriya",
  "@expo-google-fonts/noto-sans-sinhala",
  "@expo-google-fonts/noto-sans-syriac",
  "@expo-google-fonts/noto-sans-tamil",
  "@expo-google-fonts/noto-sans-telugu",
  "@expo-google-fonts/noto-sans-thaana",
  "@expo-google-fonts/noto-sans-tifinagh",
  "@expo-google-fonts/noto-serif-tibetan",
  "@expo-google-fonts/noto-sans-math",
  "@expo-google-fonts/noto-sans-symbols",
  "@expo-google-fonts/noto-sans-symbols-2",
  "@expo-google-fonts/noto-color-emoji",
];

/** Families that templates name, and their substitutes where they are not installed. */
const FAMILIES = {
  "Noto Sans": [
    ...["sans-serif", "system-ui", "ui-sans-serif", "-apple-system", "BlinkMacSystemFont"],
    ...["Arial", "Helvetica", "Helvetica Neue", "Segoe UI", "Roboto", "Open Sans", "Inter"],
    ...["Verdana", "Tahoma", "Calibri", "Trebuchet MS"],
  ],
  "Noto Serif": ["serif", "ui-serif", "Times", "Times New Roman", "Georgia", "Cambria", "Garamond"],
  "Noto Sans Mono": [
    ...["monospace", "ui-monospace", "Courier", "Courier New", "Consolas", "Menlo", "Monaco"],
  ],
  "Noto Color Emoji": ["emoji", "Apple Color Emoji", "Segoe UI Emoji"],
};

/**
 * Families for characters that the chosen font lacks, in this order. Chinese comes before Japanese, or a
 * Chinese text would be set in a mixture of both.
 */
const FALLBACKS = ["Noto Sans", "Noto Sans S Chinese", "NanumGothic", "BIZ UDPGothic"];

/**
 * For `Page.setFontFamilies`: the generic families of a text marked `lang="ja"`, whose ideographs have shapes
 * of their own. Chromium does not query fontconfig by language.
 */
export const SCRIPT_FONTS = [{
  script: "jpan",
  fontFamilies: {
    standard: "BIZ UDPGothic",
    sansSerif: "BIZ UDPGothic",
    serif: "BIZ UDPGothic",
  },
}];

/** Which fonts documents are printed with. */
export interface FontOptions {
  /**
   * Whether to copy the fonts from npm into the folder (about 175 MB), because the user of the browser may
   * not enter the folder where they are installed.
   * @default {false}
   */
  copies?: boolean;
}

/** A fontconfig configuration on disk. */
export interface FontConfig {
  /** For `FONTCONFIG_FILE`. */
  file: string;
  /** Changes when the fonts do. */
  revision: string;
}

/**
 * Writes a configuration of fontconfig into `cacheDir`: the fonts from npm. The machine's own fonts are left out, because Chromium prefers some of them
 * whatever the configuration says: a template would look different on every machine.
 */
export async function writeFontConfig(
  cacheDir: string,
  { copies = false }: FontOptions = {},
): Promise<FontConfig> {
  const found = await Promise.all(FONT_PACKAGES.map(async (name) => {
    const installed = await installedPackage(name);
    if (installed === undefined) return [];
    const folder = copies ? await copyPackage({ ...installed, name }, cacheDir) : installed.folder;
    return [{ ...installed, folder, name }];
  }));
  const fonts = found.flat();
  const folders = fonts.map((font) => font.folder);
  const cache = join(cacheDir, "fontconfig");
  const text = configuration({ folders, cache });
  const names = fonts.map(({ name, version }) => `${name}@${version}`);
  const revision = digest([...names, configuration({ folders: [], cache: "" })].join("\n"));
  const file = join(cacheDir, `fonts-${digest(text)}.conf`);
  await mkdir(join(cacheDir, "fontconfig"), { recursive: true });
  const partial = `${file}.${randomUUID()}`;
  await writeFile(partial, text);
  await rename(partial, file);
  return { file, revision };
}

/** Copies a package, once for each version. Concurrent processes do not disturb each other. */
async function copyPackage(
  { name, version, folder }: InstalledPackage & { name: string },
  cacheDir: string,
): Promise<string> {
  const target = join(cacheDir, "fonts", `${name.replace("/", "+")}@${version}`);
  const isThere = () => access(target).then(() => true, () => false);
  if (await isThere()) return target;
  const partial = `${target}.${randomUUID()}`;
  // Not cp(): in Deno it requires the right to read every folder above.
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const copy = join(partial, relative(folder, entry.parentPath));
    await mkdir(copy, { recursive: true });
    await copyFile(join(entry.parentPath, entry.name), join(copy, entry.name));
  }
  await rename(partial, target).catch(async (error) => {
    await rm(partial, { recursive: true, force: true });
    if (!await isThere()) throw error;
  });
  return target;
}

interface ConfigurationParts {
  folders: readonly string[];
  cache: string;
}

function configuration({ folders, cache }: ConfigurationParts): string {
  const families = Object.entries(FAMILIES).flatMap(([ours, asked]) =>
    asked.map((family) =>
      `<alias binding="same"><family>${family}</family><prefer><family>${ours}</family></prefer></alias>`
    )
  );
  const fallbacks = FALLBACKS.map((family) =>
    `<edit name="family" mode="append_last"><string>${family}</string></edit>`
  );
  return [
    `<?xml version="1.0"?>`,
    `<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">`,
    `<fontconfig>`,
    ...folders.map((folder) => `<dir>${escapeXml(folder)}</dir>`),
    `<cachedir>${escapeXml(cache)}</cachedir>`,
    ...families,
    `<match>${fallbacks.join("")}</match>`,
    `</fontconfig>`,
    "",
  ].join("\n");
}

function digest(text: string): string {
  return hash("sha256", text, "hex").slice(0, 12);
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
}
