import { TemplatePages } from "./template_pages.tsx";

/** The pages of email templates. */
export default function EmailTemplates() {
  return <TemplatePages kind="email" />;
}
