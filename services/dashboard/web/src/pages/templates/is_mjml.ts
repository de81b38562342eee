/** Returns whether the body of a mail is MJML: by its first tag. */
export function isMjml(html: string): boolean {
  return html.trimStart().startsWith("<mjml");
}
