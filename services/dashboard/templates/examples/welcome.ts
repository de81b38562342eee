import type { Example } from "../example.ts";
import { mailFrame } from "./mail_frame.ts";

const SHEET = `
<mj-section>
  <mj-column>
    <mj-text css-class="ink" font-size="28px" font-weight="700" line-height="1.25">Welcome, {{ name }}</mj-text>
    <mj-text css-class="ink" padding-top="16px">Your account is ready. Three steps, and you are set:</mj-text>
  </mj-column>
</mj-section>
<mj-section padding="20px 0 4px">
  <mj-column>
    <mj-table css-class="ink" font-size="16px" line-height="1.5" color="#23272f" padding="0">
      {{#each steps}}
      <tr>
        <td width="36" valign="top" style="padding:8px 0;font-weight:700;color:#1d4ed8;">{{ add @index 1 }}</td>
        <td valign="top" style="padding:8px 0;"><strong>{{ title }}</strong><br />{{ text }}</td>
      </tr>
      {{/each}}
    </mj-table>
  </mj-column>
</mj-section>
<mj-section padding="20px 0 0">
  <mj-column>
    <mj-button css-class="button" href="{{ startUrl }}">Get started</mj-button>
    <mj-text css-class="ink" padding-top="28px">Something unclear? Answer this mail: a person reads it.</mj-text>
  </mj-column>
</mj-section>
`;

/** A friendly first mail with three steps and a button. */
export const WELCOME: Example = {
  id: "welcome",
  name: "Welcome",
  about: "A friendly first mail with a few steps and one button.",
  source: {
    subject: "Welcome to {{ company }}, {{ name }}",
    html: mailFrame({
      title: "Welcome to {{ company }}",
      preview: "Your account is ready. Three steps, and you are set.",
      sheet: SHEET,
      why: "You get this once, because you opened an account with {{ company }}.",
    }),
    variables: [
      { name: "name", required: true, description: "First name of the new customer" },
      { name: "company", required: false, default: "Acme", description: "Who sends it" },
      { name: "startUrl", required: true, description: "Where the button leads" },
      { name: "steps", required: true, description: "What to do first: title and text of each" },
    ],
    sample: {
      name: "Zoë",
      company: "Acme",
      startUrl: "https://example.com/start",
      steps: [
        { title: "Say who you are", text: "Add a photo and your time zone." },
        { title: "Invite your team", text: "Everything is better together." },
        { title: "Make your first project", text: "It takes about two minutes." },
      ],
    },
  },
};
