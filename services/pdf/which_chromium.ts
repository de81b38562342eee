/**
 * Prints the path of the Chromium that would print here, for `CHROMIUM_PATH` of a service without the rights
 * to search for one or unpack one: `node services/pdf/which_chromium.ts`. It reads `CHROMIUM_PATH` and
 * `CACHE_DIR`, as the service does.
 *
 * @module
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { findChromium } from "./find_chromium.ts";

const { CHROMIUM_PATH, CACHE_DIR, PATH, HOME } = process.env;
const { executablePath } = await findChromium({
  chromiumPath: CHROMIUM_PATH || undefined,
  path: PATH,
  home: HOME,
  cacheDir: CACHE_DIR || join(tmpdir(), "posthaste-pdf"),
});
process.stdout.write(`${executablePath}\n`);
