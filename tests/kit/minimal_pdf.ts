/** What a PDF of {@linkcode minimalPdf} has besides its texts. */
export interface MorePdf {
  /** Further fields of each page. */
  page?: string;
  /** Content of its last object, after `obj`. */
  last?: string;
}

/** Returns a PDF of one page for each text. The tree of pages has two levels, and the first page inherits. */
export function minimalPdf(texts: readonly string[], more: MorePdf = {}): Buffer {
  const { page = "", last = "null" } = more;
  const contents = texts.map((text) => `BT /F1 24 Tf 72 72 Td (${text}) Tj ET`);
  const bodies = [
    "<</Type /Catalog /Pages 2 0 R>>",
    "<</Type /Pages /Count 9 /Kids [3 0 R] /MediaBox [0 0 300 200] /Rotate 90>>",
    `<</Type /Pages /Parent 2 0 R /Kids [${
      texts.map((_, index) => `${5 + 2 * index} 0 R`).join(" ")
    }]\n` +
    "/Resources <</Font <</F1 4 0 R>>>>>>",
    "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
    ...contents.flatMap((content, index) => [
      `<</Type /Page /Parent 3 0 R /Contents ${6 + 2 * index} 0 R ${page}>>`,
      `<</Length ${content.length}>> stream\n${content}\nendstream`,
    ]),
    last,
  ];
  let file = "%PDF-1.4\n";
  const places = bodies.map((body, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const size = bodies.length + 1;
  const trailer = `trailer\n<</Size ${size} /Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}${trailer}`);
}
