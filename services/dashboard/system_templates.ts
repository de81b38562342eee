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
  ...written([
    "Somebody who is signed in to Posthaste says that {{ email }} is their address.",
    "If that was you, open this link in the same browser within an hour:\n{{ link }}",
    "If it was not you, do nothing: nobody gets anything by it.",
  ]),
};

const INVITATION: SystemTemplate = {
  name: "Posthaste: an invitation",
  variables: ["inviter", "account", "role", "link"],
  // What strangers may write stands in no subject.
  subject: "You are invited to an account of Posthaste",
  ...written([
    "{{ inviter }} invites you to be {{ role }} of the account “{{ account }}”.",
    "To join, open this link within 7 days. It is for you alone:\n{{ link }}",
    "If you do not know them, do nothing.",
  ]),
};

const RESET: SystemTemplate = {
  name: "Posthaste: a new password",
  variables: ["email", "link"],
  subject: "A new password",
  ...written([
    "Somebody says that they have forgotten the password of {{ email }}.",
    "If that was you, choose a new one by this link within an hour:\n{{ link }}",
    "If it was not you, do nothing: the password stays as it is.",
  ]),
};

const REPOINTED: SystemTemplate = {
  name: "Posthaste: an integration points elsewhere",
  variables: ["who", "account", "integration", "before", "after"],
  subject: "An integration points to another server",
  ...written([
    "{{ who }} has changed the integration “{{ integration }}” of the account “{{ account }}”: " +
    "mail goes to {{ after }}, and went to {{ before }} before, or the user or the encryption is another.",
    "If you did not expect that, pause the integration and ask them.",
  ]),
};

const SUSPENDED: SystemTemplate = {
  name: "Posthaste: an integration is suspended",
  variables: ["account", "integration", "reason"],
  subject: "An integration is suspended",
  ...written([
    "Nothing is sent through the integration “{{ integration }}” of the account “{{ account }}” " +
    "since its server refuses: {{ reason }}",
    "The mail waits. Put the settings right in the dashboard, and it goes on.",
  ]),
};

const TOKEN: SystemTemplate = {
  name: "Posthaste: a token was made",
  variables: ["who", "account", "token", "scopes", "expires"],
  subject: "A token was made",
  ...written([
    "{{ who }} has made the token “{{ token }}” of the account “{{ account }}”. It may {{ scopes }}, and " +
    "expires: {{ expires }}.",
    "If you did not expect that, revoke it in the dashboard and ask them.",
  ]),
};

const EXPIRING: SystemTemplate = {
  name: "Posthaste: a token expires",
  variables: ["account", "token", "expires", "used"],
  subject: "A token expires soon",
  ...written([
    "The token “{{ token }}” of the account “{{ account }}” expires on {{ expires }}. It was last used: {{ used }}.",
    "If a program still needs it, roll it in the dashboard and give the program the new one: both work " +
    "for a time that you choose.",
  ]),
};

const ENTRY: SystemTemplate = {
  name: "Posthaste: a new sign-in",
  variables: ["email", "browser", "address", "at"],
  subject: "A new sign-in",
  ...written([
    "Somebody has signed in as {{ email }} with a browser that you have not used lately: {{ browser }}, " +
    "from {{ address }}, at {{ at }}.",
    "If that was not you, change your password, and sign out everywhere.",
  ]),
};

/** Every mail that Posthaste itself writes. */
export const SYSTEM_TEMPLATES = {
  proof: PROOF,
  invitation: INVITATION,
  reset: RESET,
  repointed: REPOINTED,
  suspended: SUSPENDED,
  token: TOKEN,
  expiring: EXPIRING,
  entry: ENTRY,
} as const;

/** What a mail of Posthaste is about. */
export type SystemMailKind = keyof typeof SYSTEM_TEMPLATES;

/** Makes both parts of paragraphs; `{{ link }}` is one that can be clicked. */
function written(paragraphs: readonly string[]): Pick<SystemTemplate, "html" | "text"> {
  const body = paragraphs.map((paragraph) => {
    const html = paragraph.replaceAll("\n", "<br>")
      .replace("{{ link }}", '<a href="{{ link }}">{{ link }}</a>');
    return `<p>${html}</p>`;
  });
  return {
    html: '<!doctype html><html lang="en"><body style="font:16px/1.5 system-ui,sans-serif;' +
      `color:#1f2937;max-width:36em;margin:2em auto;padding:0 1em">${body.join("")}</body></html>`,
    text: `${paragraphs.join("\n\n")}\n`,
  };
}
