import type { Page } from "playwright-core";
import type { DashboardFixture } from "./dashboard_fixture.ts";

/** An email template with its draft. */
export interface EmailDraft {
  id: number;
  revision: number;
  draft: { subject: string; html: string };
}

type People = Pick<DashboardFixture, "people">;

let made = 0;

/** Makes a template as the editor. */
export function makeDraft({ people }: People): Promise<EmailDraft> {
  const body = { name: `Template ${++made}`, example: "empty" };
  return people.editor.ask<EmailDraft>("POST", "/templates/email", body);
}

/** Saves another subject as the editor, by the revision that the template had. */
export async function writeTheirs(
  { people }: People,
  { id, revision, draft }: EmailDraft,
): Promise<void> {
  const source = { ...draft, subject: "Theirs" };
  await people.editor.ask("PUT", `/templates/email/${id}/draft`, { revision, source });
}

/** Returns a template as it is stored. */
export function readDraft({ people }: People, id: number): Promise<EmailDraft> {
  return people.owner.ask<EmailDraft>("GET", `/templates/email/${id}`);
}

/** Returns the subject that an editor shows. */
export function subjectOf(page: Page): Promise<string> {
  return page.getByRole("textbox", { name: "Subject" }).inputValue();
}
