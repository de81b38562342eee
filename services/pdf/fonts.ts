import { createHash } from "node:crypto";
import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installedPackage } from "./installed_package.ts";

/** Font packages, and the scripts they are for. Those that are not installed are left out. */
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
  "@expo-google-fonts/noto-color-emoji",
];

/** What templates ask for, and what they get where it is not installed. */
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

/** Where the scripts of East Asia go, by the language of the text (the `lang` attribute). */
const LANGUAGES = {
  ja: "BIZ UDPGothic",
  ko: "NanumGothic",
  zh: "Noto Sans S Chinese",
};

/** A written configuration of fontconfig. */
export interface FontConfig {
  /** For `FONTCONFIG_FILE`. */
  file: string;
  /** Changes when the fonts do. */
  revision: string;
}

/**
 * Writes a configuration of fontconfig into `cacheDir`: the fonts from npm, and those in
 * `extraFolders`. The machine's own fonts are left out, because Chromium prefers some of them
 * whatever the configuration says: a template would look different on every machine.
 */
export async function writeFontConfig(
  cacheDir: string,
  extraFolders: readonly string[] = [],
): Promise<FontConfig> {
  const found = await Promise.all(FONT_PACKAGES.map(async (name) => {
    const installed = await installedPackage(name);
    return installed ? [{ ...installed, name }] : [];
  }));
  const fonts = found.flat();
  const folders = [...fonts.map((font) => font.folder), ...extraFolders];
  const text = configuration(folders, join(cacheDir, "fontconfig"));
  const names = fonts.map(({ name, version }) => `${name}@${version}`);
  const revision = digest(
    [...names, ...await fontsIn(extraFolders), configuration([], "")].join("\n"),
  );
  const file = join(cacheDir, `fonts-${digest(text)}.conf`);
  await mkdir(join(cacheDir, "fontconfig"), { recursive: true });
  await writeFile(`${file}.${process.pid}`, text);
  await rename(`${file}.${process.pid}`, file);
  return { file, revision };
}

/** The names of the font files in folders: other fonts may give other PDFs. */
async function fontsIn(folders: readonly string[]): Promise<string[]> {
  const names = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])),
  );
  return names.flat().filter((name) => /\.(ttf|otf|ttc)$/i.test(name)).sort();
}

function configuration(folders: readonly string[], cache: string): string {
  const families = Object.entries(FAMILIES).flatMap(([ours, asked]) =>
    asked.map((family) =>
      `<alias binding="same"><family>${family}</family><accept><family>${ours}</family></accept></alias>`
    )
  );
  const languages = Object.entries(LANGUAGES).map(([lang, family]) =>
    `<match><test name="lang" compare="contains"><string>${lang}</string></test>` +
    `<edit name="family" mode="append" binding="same"><string>${family}</string></edit></match>`
  );
  return [
    `<?xml version="1.0"?>`,
    `<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">`,
    `<fontconfig>`,
    ...folders.map((folder) => `<dir>${escapeXml(folder)}</dir>`),
    `<cachedir>${escapeXml(cache)}</cachedir>`,
    ...families,
    ...languages,
    `</fontconfig>`,
    "",
  ].join("\n");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (char) => `&#${char.charCodeAt(0)};`);
}
