/**
 * Writes docs/settings.md from the services' own schemas; with `--check` it only checks whether the
 * page is stale.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { describeConfig, SERVICE_CONFIG, type SettingDescription } from "@posthaste/runtime";

const SERVICES = ["api", "renderer", "pdf", "mailer", "tracker", "webhooks", "dashboard"];
const PAGE = new URL("../docs/settings.md", import.meta.url);

const HEAD = `# Settings

After this page you can configure every service. A service reads its settings from environment variables once, at its start. A
wrong or missing setting ends the service with exit code 2 and a line for each fault. An empty variable counts as not set. This
page is generated from the services' own schemas (\`tools/settings_page.ts\`).

A secret setting may be in a file instead: \`MASTER_KEY_FILE=/run/secrets/master_key\` replaces
\`MASTER_KEY\`, and likewise for every secret. Prefer the file: more programs can read the environment of a process.
The value is the text of the file without surrounding white space. A secret that is set both ways is a fault. Secrets have no
defaults. Logs, traces and error messages never contain their values, and diagnostic reports contain no environment.

Durations are written as \`500ms\`, \`30s\`, \`5m\`, \`48h\`; sizes as \`5MB\` (10⁶ bytes) or \`64MiB\` (2²⁰ bytes).
The dashboard only displays the limits of the api and the mailer: set the same values there.
OpenTelemetry's own variables configure telemetry: see [telemetry](telemetry.md).
`;

const page = await makePage();
if (process.argv.includes("--check")) {
  const found = await readFile(PAGE, "utf8").catch(() => "");
  if (found !== page) {
    process.stderr.write("docs/settings.md is stale: run node tools/settings_page.ts\n");
    process.exitCode = 1;
  }
} else {
  await writeFile(PAGE, page);
}

async function makePage(): Promise<string> {
  const sections = [section("Every service", describeConfig(SERVICE_CONFIG))];
  for (const service of SERVICES) {
    const { CONFIG } = await import(`../services/${service}/config.ts`);
    sections.push(section(service, describeConfig(CONFIG)));
  }
  return `${HEAD}\n${sections.join("\n")}`;
}

function section(title: string, settings: SettingDescription[]): string {
  const rows = settings.map(({ name, required, description, expected, secret, ...rest }) => {
    const standard = required
      ? "required"
      : rest.default === undefined
      ? ""
      : `\`${rest.default}\``;
    return `| \`${name}\` | ${description}${
      secret ? " (secret)" : ""
    } | ${expected} | ${standard} |`;
  });
  return [
    `## ${title}`,
    "",
    "| setting | what it is | expected | default |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}
