/** A template of the system mail, as it is published. */
interface SystemTemplate {
  name: string;
  variables: readonly string[];
  subject: string;
  html: string;
  text: string;
}

const PROOF: SystemTemplate = {
  name: "Posthaste: is this your address?",
  variables: ["email", "link"],
  subject: "Is this your address?",
  html: page(
    "<p>Somebody who is signed in to Posthaste says that {{ email }} is their address.</p>" +
      "<p>If that was you, open this link in the same browser within an hour:<br>" +
      '<a href="{{ link }}">{{ link }}</a></p>' +
      "<p>If it was not you, do nothing: nobody gets anything by it.</p>",
  ),
  text: "Somebody who is signed in to Posthaste says that {{ email }} is their address.\n\n" +
    "If that was you, open this link in the same browser within an hour:\n{{ link }}\n\n" +
    "If it was not you, do nothing: nobody gets anything by it.\n",
};

const INVITATION: SystemTemplate = {
  name: "Posthaste: an invitation",
  variables: ["inviter", "account", "role", "link"],
  // What strangers may write stands in no subject.
  subject: "You are invited to an account of Posthaste",
  html: page(
    "<p>{{ inviter }} invites you to be {{ role }} of the account “{{ account }}”.</p>" +
      "<p>To join, open this link within 7 days. It is for you alone:<br>" +
      '<a href="{{ link }}">{{ link }}</a></p>' +
      "<p>If you do not know them, do nothing.</p>",
  ),
  text: "{{ inviter }} invites you to be {{ role }} of the account “{{ account }}”.\n\n" +
    "To join, open this link within 7 days. It is for you alone:\n{{ link }}\n\n" +
    "If you do not know them, do nothing.\n",
};

const REPOINTED: SystemTemplate = {
  name: "Posthaste: an integration points elsewhere",
  variables: ["who", "account", "integration", "before", "after"],
  subject: "An integration points to another server",
  html: page(
    "<p>{{ who }} has changed the integration “{{ integration }}” of the account “{{ account }}”: " +
      "mail goes to {{ after }}, and went to {{ before }} before, or the user or the encryption is " +
      "another.</p><p>If you did not expect that, pause the integration and ask them.</p>",
  ),
  text:
    "{{ who }} has changed the integration “{{ integration }}” of the account “{{ account }}”: " +
    "mail goes to {{ after }}, and went to {{ before }} before, or the user or the encryption is " +
    "another.\n\nIf you did not expect that, pause the integration and ask them.\n",
};

/** Every mail that Posthaste itself writes. */
export const SYSTEM_TEMPLATES = {
  proof: PROOF,
  invitation: INVITATION,
  repointed: REPOINTED,
} as const;

/** What a mail of Posthaste is about. */
export type SystemMailKind = keyof typeof SYSTEM_TEMPLATES;

function page(body: string): string {
  return '<!doctype html><html lang="en"><body style="font:16px/1.5 system-ui,sans-serif;' +
    `color:#1f2937;max-width:36em;margin:2em auto;padding:0 1em">${body}</body></html>`;
}
