import type { Variables } from "@posthaste/contracts";
import handlebars from "handlebars";
import type { BaselineSettings } from "./baseline_process.ts";

/** Compiles the templates of a mail, as baselines do without the system. Returns what fills them. */
export function compileMail(
  templates: BaselineSettings["templates"],
): (variables: Variables) => BaselineSettings["mail"] {
  const subject = handlebars.compile(templates.subject, { noEscape: true });
  const html = handlebars.compile(templates.html);
  const text = handlebars.compile(templates.text, { noEscape: true });
  return (variables) => ({
    subject: subject(variables),
    html: html(variables),
    text: text(variables),
  });
}
