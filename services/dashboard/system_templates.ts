/** A template of the system mail, in its published form. */
interface SystemTemplate {
  name: string;
  variables: readonly string[];
  subject: string;
  html: string;
  text: string;
}

const PROOF: SystemTemplate = {
  name: "Posthaste: verify your address",
  variables: ["email", "link"],
  subject: "Verify your address",
  ...written([
    "Someone who is signed in to Posthaste entered {{ email }} as their address.",
    "If it was you, open this link in the same browser within an hour:\n{{ link }}",
    "If it was not you, ignore this message.",
  ]),
};

const INVITATION: SystemTemplate = {
  name: "Posthaste: an invitation",
  variables: ["inviter", "account", "role", "link"],
  // Text that strangers can write must not appear in a subject.
  subject: "You are invited to an account of Posthaste",
  ...written([
    "{{ inviter }} invites you to be {{ role }} of the account “{{ account }}”.",
    "To join, open this link within 7 days. Do not share it:\n{{ link }}",
    "If you do not know this person, ignore this message.",
  ]),
};

const RESET: SystemTemplate = {
  name: "Posthaste: a new password",
  variables: ["email", "link"],
  subject: "New password",
  ...written([
    "Someone requested a new password for {{ email }}.",
    "If it was you, choose a new password with this link within an hour:\n{{ link }}",
    "If it was not you, ignore this message. Your password does not change.",
  ]),
};

const REPOINTED: SystemTemplate = {
  name: "Posthaste: the server of an integration changed",
  variables: ["who", "account", "integration", "before", "after"],
  subject: "The server of an integration changed",
  ...written([
    "{{ who }} changed the integration “{{ integration }}” of the account “{{ account }}”: " +
    "the server is now {{ after }} and was {{ before }}, or its user or encryption changed.",
    "If you did not expect this, pause the integration and ask them.",
  ]),
};

const SUSPENDED: SystemTemplate = {
  name: "Posthaste: an integration is suspended",
  variables: ["account", "integration", "reason", "link"],
  subject: "An integration is suspended",
  ...written([
    "Nothing is sent through the integration “{{ integration }}” of the account “{{ account }}”. {{ reason }}",
    "Its messages wait. To resume sending, correct the settings:\n{{ link }}",
  ]),
};

const TOKEN: SystemTemplate = {
  name: "Posthaste: a token was created",
  variables: ["who", "account", "token", "scopes", "expires"],
  subject: "A token was created",
  ...written([
    "{{ who }} created the token “{{ token }}” of the account “{{ account }}”. Its scopes are {{ scopes }}, and it " +
    "expires: {{ expires }}.",
    "If you did not expect this, revoke the token in the dashboard and ask them.",
  ]),
};

const EXPIRING: SystemTemplate = {
  name: "Posthaste: a token expires",
  variables: ["account", "token", "expires", "used"],
  subject: "A token expires soon",
  ...written([
    "The token “{{ token }}” of the account “{{ account }}” expires on {{ expires }}. It was last used: {{ used }}.",
    "If a program still needs it, roll it in the dashboard and use the new token in the program. Both work " +
    "for a time that you choose.",
  ]),
};

const ENTRY: SystemTemplate = {
  name: "Posthaste: a new sign-in",
  variables: ["email", "browser", "address", "at"],
  subject: "A new sign-in",
  ...written([
    "Someone signed in as {{ email }} with a browser that you have not used recently: {{ browser }}, " +
    "from {{ address }}, at {{ at }}.",
    "If it was not you, change your password and sign out everywhere.",
  ]),
};

/** All of Posthaste's own mails. */
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

/** The kind of a mail of Posthaste. */
export type SystemMailKind = keyof typeof SYSTEM_TEMPLATES;

/** Returns paragraphs as HTML and as text; `{{ link }}` becomes a link. */
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
