import { globSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const TEXTS = new Set([".css", ".html", ".js", ".json", ".map", ".mjs", ".svg", ".txt", ".wasm"]);

/** Smaller texts fit into one network packet anyway. */
const LEAST_BYTES = 1400;

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants;

/** The highest, 11, takes ten times as long for a few percent. */
const BROTLI_QUALITY = 9;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Writes, beside each text of a folder, the same as Brotli (`.br`) and as gzip (`.gz`). */
export async function compressTexts(folder: string): Promise<void> {
  const texts = globSync("**/*", { cwd: folder }).filter((name) => TEXTS.has(extname(name)));
  await Promise.all(texts.map((name) => compressText(join(folder, name))));
}

async function compressText(file: string): Promise<void> {
  const content = await readFile(file);
  if (content.length < LEAST_BYTES) return;
  const params = {
    [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const [small, zipped] = await Promise.all([
    brotli(content, { params }),
    zip(content, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, small), writeFile(`${file}.gz`, zipped)]);
}
