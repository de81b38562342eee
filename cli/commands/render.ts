import { Command, Option } from "commander";
import { z } from "zod";
import { type CommandContext, type HttpOptions, openApiFor } from "../command_context.ts";
import { addHttpOptions } from "../http_options.ts";
import { printable } from "../printable.ts";
import { readData } from "../read_data.ts";

interface RenderOptions extends HttpOptions {
  data?: string;
  part?: "subject" | "html" | "text";
}

const renderedSchema = z.object({ subject: z.string(), html: z.string(), text: z.string() });

/** `posthaste render` */
export function renderCommand(context: CommandContext): Command {
  const command = new Command("render")
    .argument("<template>", "id or alias of an email template")
    .description("Render a template over the HTTP interface and print it.")
    .option("--data <file>", 'JSON file with the variables; "-" for the standard input')
    .addOption(
      new Option("--part <part>", "print only this part, unchanged")
        .choices(["subject", "html", "text"]),
    );
  return addHttpOptions(command)
    .addHelpText(
      "after",
      `
Examples:
  posthaste render welcome --data sample.json
  posthaste render welcome --data sample.json --part html > welcome.html
`,
    )
    .action((template: string, options: RenderOptions) => render(context, template, options));
}

async function render(
  context: CommandContext,
  template: string,
  options: RenderOptions,
): Promise<void> {
  const { output } = context;
  const body = options.data === undefined ? "{}" : await readData(context, options.data);
  const path = `/templates/${encodeURIComponent(template)}/render`;
  const rendered = renderedSchema.parse(await openApiFor(context, options).post(path, body));
  if (options.part !== undefined && !output.json) {
    const text = rendered[options.part];
    output.raw(output.isTerminal ? `${printable(text)}\n` : text);
    return;
  }
  const section = (title: string, text: string) =>
    `${output.style("dim", title)}\n${printable(text).trimEnd()}`;
  output.result(rendered, () =>
    [
      section("SUBJECT", rendered.subject),
      section("HTML", rendered.html),
      section("TEXT", rendered.text),
    ].join("\n\n"));
}
