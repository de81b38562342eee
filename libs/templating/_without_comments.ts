/**
 * Blanks out the comments of the template; the rest keeps its position. An expression would search for the
 * end of each of many comments that have none.
 */
export function withoutComments(html: string): string {
  let shown = "";
  let from = 0;
  for (let at = html.indexOf("{{!"); at >= 0; at = html.indexOf("{{!", from)) {
    const close = html.startsWith("{{!--", at) ? "--}}" : "}}";
    const end = html.indexOf(close, at + 3);
    if (end < 0) break;
    const comment = html.slice(at, end + close.length);
    shown += html.slice(from, at) + comment.replace(/[^\n]/g, " ");
    from = at + comment.length;
  }
  return shown + html.slice(from);
}
