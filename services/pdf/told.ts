/** What a document wanted to load and was refused. */
export function told(blocked: readonly string[]): string {
  const listed = blocked.slice(0, 10).map((url) => url.slice(0, 200)).join(", ");
  const more = blocked.length > 10 ? " and more" : "";
  return `it loads resources that are not allowed: ${listed}${more}`;
}
