import type { Variables } from "@posthaste/contracts";

/** What a request is made of, for {@linkcode curlSend}. */
export interface SendExample {
  /** Base of the HTTP interface, without a slash at its end. */
  apiUrl: string;
  templateId: number | string;
  integrationId: number | string;
  sender: string;
  to: string;
  /** Of the recipient: for the mail, and for PDFs that have none of their own. */
  variables: Variables;
  attachments?: readonly PdfExample[];
}

/** A PDF template, and what it is filled with. */
export interface PdfExample {
  id: number;
  variables: Variables;
}

/** The `curl` that sends an email template, with PDFs; the token comes from the shell's own variables. */
export function curlSend(example: SendExample): string {
  const { apiUrl, templateId, integrationId, sender, to, variables, attachments } = example;
  const recipient = { email: to, variables, ...(attachments ? { attachments } : {}) };
  const body = { from: { email: sender }, to: [recipient] };
  return curl(`${apiUrl}/templates/${templateId}/send/${integrationId}`, body);
}

/** The `curl` that fills an email template and sends nothing. */
export function curlRender(
  { apiUrl, templateId, variables }: Pick<SendExample, "apiUrl" | "templateId" | "variables">,
): string {
  return curl(`${apiUrl}/templates/${templateId}/render`, variables);
}

/** The `attachments` of a recipient that gets a PDF template. */
export function attachmentsJson({ id, variables }: PdfExample): string {
  return `"attachments": ${JSON.stringify([{ id, variables }], null, 2)}`;
}

function curl(url: string, body: unknown): string {
  return [
    `curl -X POST "${url}"`,
    `-H "Authorization: Bearer $POSTHASTE_TOKEN"`,
    `-H "Content-Type: application/json"`,
    `-d ${quoted(JSON.stringify(body, null, 2))}`,
  ].join(" \\\n  ");
}

/** Quotes for a POSIX shell: in single quotes only the quote itself has a meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
