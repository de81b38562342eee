import { Page } from "../../parts/page.tsx";

/** To be written. */
export default function EmailTemplates() {
  return <Page title="EmailTemplates">{null}</Page>;
}
