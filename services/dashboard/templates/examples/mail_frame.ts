/** The variable parts of an example mail. */
export interface MailFrame {
  title: string;
  /** Shown by inboxes beside the subject. */
  preview: string;
  /** MJML: sections of the sheet. */
  sheet: string;
  /** Shown below the sheet: why the recipient gets this mail. */
  why: string;
}

/** Wraps the sheet of an example mail in a page with a head, for light and dark. */
export function mailFrame({ title, preview, sheet, why }: MailFrame): string {
  return `<mjml lang="en">
  <mj-head>
    <mj-title>${title}</mj-title>
    <mj-preview>${preview}</mj-preview>
    <mj-attributes>
      <mj-all font-family="'Helvetica Neue', Helvetica, Arial, 'Noto Sans', sans-serif" />
      <mj-text font-size="16px" line-height="1.6" color="#23272f" padding="0" />
      <mj-section padding="0" />
      <mj-column padding="0" />
      <mj-button background-color="#1d4ed8" color="#ffffff" font-size="16px" font-weight="600" border-radius="8px" inner-padding="14px 24px" padding="0" align="left" />
    </mj-attributes>
    <mj-raw>
      <meta name="color-scheme" content="light dark" />
      <meta name="supported-color-schemes" content="light dark" />
    </mj-raw>
    <mj-style>
      :root { color-scheme: light dark; supported-color-schemes: light dark; }
      a { color: #1d4ed8; }
      @media (prefers-color-scheme: dark) {
        body, .page, .page > div { background-color: #14161a !important; }
        .sheet, .sheet > table { background-color: #1f2329 !important; }
        .ink div, .ink td, .ink th, .ink strong, .ink a { color: #e8eaee !important; }
        .soft div, .soft td, .soft a { color: #a3abb8 !important; }
        .line td, .line th, .line p { border-color: #3a404a !important; }
        .button td, .button a { background-color: #93b4ff !important; color: #10203f !important; }
        a { color: #93b4ff !important; }
      }
    </mj-style>
  </mj-head>
  <mj-body background-color="#f2f4f7" css-class="page" width="600px">
    <mj-section padding="32px 24px 20px">
      <mj-column>
        <mj-text css-class="ink" font-size="18px" font-weight="700">{{ company }}</mj-text>
      </mj-column>
    </mj-section>
    <mj-wrapper css-class="sheet" background-color="#ffffff" border-radius="12px" padding="40px">
${sheet.trim().replace(/^/gm, "      ")}
    </mj-wrapper>
    <mj-section padding="24px 24px 40px">
      <mj-column>
        <mj-text css-class="soft" font-size="13px" color="#5c6470">${why}</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
`;
}
