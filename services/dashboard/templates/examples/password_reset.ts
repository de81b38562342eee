import type { Example } from "../example.ts";
import { mailFrame } from "./mail_frame.ts";

const SHEET = `
<mj-section>
  <mj-column>
    <mj-text css-class="ink" font-size="24px" font-weight="700" line-height="1.3">Choose a new password</mj-text>
    <mj-text css-class="ink" padding="16px 0 24px">Hello {{ default name "there" }}, somebody asked for a new password for {{ email }}. If it was you, choose one here:</mj-text>
    <mj-button css-class="button" href="{{ resetUrl }}">Choose a new password</mj-button>
    <mj-text css-class="ink" padding-top="24px">The link works once, for {{ plural minutes one="# minute" other="# minutes" }}.{{#if device}} It was asked for on {{ device }}.{{/if}}</mj-text>
  </mj-column>
</mj-section>
<mj-section padding-top="24px">
  <mj-column>
    <mj-divider css-class="line" border-width="1px" border-color="#e1e5ea" padding="0 0 20px" />
    <mj-text css-class="soft" font-size="14px" color="#5c6470">If it was not you, do nothing: your password does not change, and nobody else can use this link.</mj-text>
  </mj-column>
</mj-section>
`;

const TEXT = `Choose a new password

Hello {{ default name "there" }},

somebody asked for a new password for {{ email }}. If it was you,
choose one here:

{{ resetUrl }}

The link works once, for {{ plural minutes one="# minute" other="# minutes" }}.

If it was not you, do nothing: your password does not change.
`;

/** A short mail with a link that works once. */
export const PASSWORD_RESET: Example = {
  id: "password-reset",
  name: "Password reset",
  about: "A short mail with a link that works once, and what to do if it was not you.",
  source: {
    subject: "Choose a new password for {{ company }}",
    html: mailFrame({
      title: "Choose a new password",
      preview: "The link works once. If it was not you, do nothing.",
      sheet: SHEET,
      why: "{{ company }} sends this whenever somebody asks for a new password.",
    }),
    text: TEXT,
    variables: [
      { name: "name", required: false, description: "First name, if it is known" },
      { name: "email", required: true, description: "Address of the account" },
      { name: "resetUrl", required: true, description: "The link; it should work once" },
      { name: "minutes", required: false, default: 30, description: "How long the link works" },
      { name: "device", required: false, description: "Browser and place, if they are known" },
      { name: "company", required: false, default: "Acme", description: "Who sends it" },
    ],
    sample: {
      name: "Zoë",
      email: "zoe@example.com",
      resetUrl: "https://example.com/reset/3f9c",
      minutes: 30,
      device: "Firefox in Hamburg",
      company: "Acme",
    },
  },
};
