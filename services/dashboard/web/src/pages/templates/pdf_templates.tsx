import { Page } from "../../parts/page.tsx";

/** To be written. */
export default function PdfTemplates() {
  return <Page title="PdfTemplates">{null}</Page>;
}
