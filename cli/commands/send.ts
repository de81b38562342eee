import { Command } from "commander";
import { z } from "zod";
import { type CommandContext, type HttpOptions, openApiFor } from "../command_context.ts";
import { addHttpOptions } from "../http_options.ts";
import { readData } from "../read_data.ts";

interface SendOptions extends HttpOptions {
  data: string;
  idempotencyKey?: string;
}

const MAX_SHOWN = 20;

const acceptedSchema = z.looseObject({
  message: z.string(),
  id: z.string(),
  messages: z.array(z.object({ id: z.string(), email: z.string() })),
});

/** `posthaste send` */
export function sendCommand(context: CommandContext): Command {
  const command = new Command("send")
    .argument("<template>", "id or alias of an email template")
    .argument("<integration>", "id of an SMTP integration")
    .description("Send a template to one or more recipients over the HTTP interface.")
    .requiredOption("--data <file>", 'JSON file with the request; "-" for the standard input')
    .option("--idempotency-key <key>", "repeating the same key and request never sends twice");
  return addHttpOptions(command)
    .addHelpText(
      "after",
      `
The file contains "from", "to" and "variables", as in the HTTP interface:
  { "from": { "email": "hello@example.com" },
    "to": [{ "email": "jane@example.net", "variables": { "name": "Jane" } }] }

Examples:
  posthaste send welcome 1 --data welcome.json
  posthaste send invoice 1 --data - --idempotency-key invoices-2026-03 < invoices.json
`,
    )
    .action((template: string, integration: string, options: SendOptions) =>
      send(
        context,
        `${encodeURIComponent(template)}/send/${encodeURIComponent(integration)}`,
        options,
      )
    );
}

async function send(context: CommandContext, path: string, options: SendOptions): Promise<void> {
  const { output } = context;
  const body = await readData(context, options.data);
  const key = options.idempotencyKey;
  const answer = await openApiFor(context, options).post(
    `/templates/${path}`,
    body,
    key === undefined ? {} : { "idempotency-key": key },
  );
  const { message, id, messages } = acceptedSchema.parse(answer);
  output.result(answer, () => {
    const rows = messages.slice(0, MAX_SHOWN).map((each) => [each.id, each.email]);
    const more = messages.length - rows.length;
    return [
      `${output.style("green", message)}: ${id}`,
      "",
      output.table(["MESSAGE", "TO"], rows),
      ...more > 0 ? [output.style("dim", `and ${more} more`)] : [],
    ].join("\n");
  });
  output.note(`Follow it: posthaste status ${id} --watch`);
}
