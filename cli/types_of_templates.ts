import { docComment, type JsonSchema, propertyKey, typeOfSchema } from "./type_of_schema.ts";

const CLIENT = "@posthaste/client";

/** A template by its alias, with the JSON Schema of its variables. */
export type TemplateSchema = readonly [alias: string, schema: JsonSchema];

/** Templates of an account. */
export interface TemplateSchemas {
  email: readonly TemplateSchema[];
  pdf: readonly TemplateSchema[];
}

/**
 * Returns the text of a `.d.ts` file with the variables of templates for `@posthaste/client`: its `render()`
 * and `send()` are then type-checked.
 */
export function typesOfTemplates({ email, pdf }: TemplateSchemas): string {
  return `// Written by "posthaste types". Run it again when templates are published.
import "${CLIENT}";

declare module "${CLIENT}" {
${interfaceOf("Templates", email)}
${interfaceOf("PdfTemplates", pdf)}
}
`;
}

function interfaceOf(name: string, templates: readonly TemplateSchema[]): string {
  const fields = templates.map(([alias, schema]) => {
    const type = typeOfSchema(schema, { indent: "    ", loose: true });
    return `    ${propertyKey(alias)}: ${type};\n`;
  });
  return `  ${docComment(`Variables by alias: ${fields.length}`)}\n  interface ${name} {\n${
    fields.join("")
  }  }`;
}
