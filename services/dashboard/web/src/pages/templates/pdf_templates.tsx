import { TemplatePages } from "./template_pages.tsx";

/** The pages of PDF templates. */
export default function PdfTemplates() {
  return <TemplatePages kind="pdf" />;
}
