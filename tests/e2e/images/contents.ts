import assert from "node:assert/strict";
import { IMAGES } from "./build_images.ts";
import type { Engine } from "./engine.ts";

/** Packages that belong into some images alone. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  "@sparticuz/chromium": ["pdf"],
  "@expo-google-fonts/noto-sans": ["pdf"],
  // The server of the inbox is made of it, too.
  "nodemailer": ["mailer", "inbox"],
  "openid-client": ["dashboard"],
  // Bundles are read by both.
  "jsonc-parser": ["cli", "dashboard"],
  "smtp-server": ["inbox"],
};

/** Packages that belong into no image: they build, check or test. */
export const NOWHERE = [
  "playwright-core",
  "react",
  "vite",
  "typescript",
  "deno",
  "mongodb-memory-server-core",
  "npm",
];

/**
 * Reads the bill of materials of each image, by its own program, and compares it with the expected packages.
 *
 * @returns how many parts each image has
 * @throws {Error} If something is missing, or where it does not belong.
 */
export async function checkContents(engine: Engine): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const image of IMAGES) {
    const text = await engine.run([
      ...["run", "--rm", "--network", "none", "--entrypoint", "node"],
      ...[`posthaste-${image}`, "/usr/share/posthaste/sbom.ts"],
    ]);
    const { components } = JSON.parse(text) as { components: { name: string }[] };
    const names = new Set(components.map(({ name }) => name));
    for (const [name, owners] of Object.entries(OWN)) {
      assert.equal(names.has(name), owners.includes(image), `"${name}" in ${image}`);
    }
    for (const name of NOWHERE) assert.equal(names.has(name), false, `"${name}" in ${image}`);
    assert.ok(names.has("node") && names.has("libc6") && names.has("tini"), image);
    counts[image] = components.length;
  }
  return counts;
}
