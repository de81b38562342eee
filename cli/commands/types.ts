import { Command } from "commander";
import { z } from "zod";
import type { Api } from "../api.ts";
import { type CommandContext, type HttpOptions, openApiFor } from "../command_context.ts";
import { addHttpOptions } from "../http_options.ts";
import type { JsonSchema } from "../type_of_schema.ts";
import { type TemplateSchema, typesOfTemplates } from "../types_of_templates.ts";

const pageSchema = z.object({
  data: z.array(z.object({ id: z.number(), alias: z.string().nullable() })),
  next: z.string().nullable(),
});

const jsonSchema = z.record(z.string(), z.unknown());

const PAGE = 100;

/** `posthaste types` */
export function typesCommand(context: CommandContext): Command {
  const command = new Command("types")
    .description("Print the TypeScript types of published templates, for @posthaste/client.");
  return addHttpOptions(command)
    .addHelpText(
      "after",
      `
The token needs the scope "read". Templates without an alias are left out: a program names them
by number, and their variables are not checked.

Example:
  posthaste types > posthaste.d.ts
`,
    )
    .action((options: HttpOptions) => printTypes(context, options));
}

async function printTypes(context: CommandContext, options: HttpOptions): Promise<void> {
  const { output } = context;
  const api = openApiFor(context, options);
  const email = await readSchemas(api, "templates");
  const pdf = await readSchemas(api, "pdf-templates");
  if (output.json) {
    const schemas = { email: Object.fromEntries(email), pdf: Object.fromEntries(pdf) };
    output.data(schemas);
    return;
  }
  output.part(typesOfTemplates({ email, pdf }));
  if (email.length === 0) output.note("There is no published email template with an alias");
}

/** Reads one after another, because a token has a limit of requests a second. */
async function readSchemas(api: Api, kind: "templates" | "pdf-templates") {
  const schemas: TemplateSchema[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const more: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { data, next } = pageSchema.parse(await api.get(`/${kind}?limit=${PAGE}${more}`));
    for (const { id, alias } of data) {
      if (alias === null) continue;
      const schema: JsonSchema = jsonSchema.parse(await api.get(`/${kind}/${id}/schema`));
      schemas.push([alias, schema]);
    }
    cursor = next;
  }
  return schemas;
}
