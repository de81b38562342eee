import { pageOptionsSchema } from "@posthaste/contracts";
import type { Example } from "../example.ts";

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{{ subject }}</title>
<style>
  html { font: 10.5pt/1.6 "Noto Serif", Georgia, serif; color: #23272f; }
  body, h1, p { margin: 0; }
  .from { font-size: 8pt; color: #5c6470; margin-bottom: 3mm; }
  .to { min-height: 32mm; }
  .day { text-align: right; margin: 8mm 0; }
  h1 { font-size: 12pt; margin-bottom: 6mm; }
  .text p { margin-bottom: 4mm; }
  .end { margin-top: 10mm; break-inside: avoid; }
</style>
</head>
<body>
<p class="from">{{ sender.name }}, {{ sender.street }}, {{ sender.city }}</p>
<p class="to">{{ recipient.name }}<br>{{ recipient.street }}<br>{{ recipient.city }}</p>
<p class="day">{{ date day "long" }}</p>
<h1>{{ subject }}</h1>
<div class="text">
{{#each paragraphs}}
<p>{{ breaks this }}</p>
{{/each}}
</div>
<p class="end">Kind regards<br><br>{{ sender.name }}</p>
</body>
</html>
`;

/** A letter for a window envelope. */
export const LETTER: Example = {
  id: "letter",
  name: "Letter",
  about: "A letter on A4, its address where a window envelope shows it.",
  source: {
    html: HTML,
    filename: "letter.pdf",
    page: pageOptionsSchema.parse({
      missingGlyphs: "fail",
      margin: { top: "45mm", right: "20mm", bottom: "22mm", left: "25mm" },
      footer: { center: "{page} / {pages}" },
    }),
    variables: [
      { name: "sender", required: true, description: "Who writes: name, street, city" },
      { name: "recipient", required: true, description: "Who it is for: name, street, city" },
      { name: "day", required: true, description: "Day of the letter, such as 2026-03-02" },
      { name: "subject", required: true, description: "What it is about" },
      { name: "paragraphs", required: true, description: "The text, paragraph by paragraph" },
    ],
    sample: {
      sender: { name: "Acme", street: "Speicherstraße 14", city: "20457 Hamburg" },
      recipient: { name: "Zoë Lindqvist", street: "Kanalstraße 5", city: "22085 Hamburg" },
      day: "2026-03-02",
      subject: "Your new contract",
      paragraphs: [
        "Dear Zoë,",
        "thank you for staying with us. Your new contract begins on the first of April and runs for a year.",
        "Nothing else changes. If you have a question, write to us or call: we are glad to help.",
      ],
    },
  },
};
