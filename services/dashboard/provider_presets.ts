import type { ProviderPreset } from "./interface/integrations.ts";

const SES_REGIONS: readonly [region: string, place: string][] = [
  ["us-east-1", "N. Virginia"],
  ["us-east-2", "Ohio"],
  ["us-west-1", "N. California"],
  ["us-west-2", "Oregon"],
  ["ca-central-1", "Canada"],
  ["sa-east-1", "São Paulo"],
  ["eu-central-1", "Frankfurt"],
  ["eu-west-1", "Ireland"],
  ["eu-west-2", "London"],
  ["eu-west-3", "Paris"],
  ["eu-north-1", "Stockholm"],
  ["eu-south-1", "Milan"],
  ["ap-south-1", "Mumbai"],
  ["ap-southeast-1", "Singapore"],
  ["ap-southeast-2", "Sydney"],
  ["ap-northeast-1", "Tokyo"],
  ["ap-northeast-2", "Seoul"],
  ["ap-northeast-3", "Osaka"],
  ["af-south-1", "Cape Town"],
  ["me-south-1", "Bahrain"],
  ["il-central-1", "Tel Aviv"],
];

const STARTTLS = { port: 587, tls: "starttls" } as const;
const IMPLICIT = { port: 465, tls: "implicit" } as const;

function one(host: string): ProviderPreset["servers"] {
  return [{ label: host, host }];
}

/** Widely used providers, in the order in which they are offered. */
export const PROVIDER_PRESETS: readonly ProviderPreset[] = [
  {
    ...{ id: "ses", name: "Amazon SES", ...STARTTLS },
    servers: SES_REGIONS.map(([region, place]) => ({
      label: `${region} (${place})`,
      host: `email-smtp.${region}.amazonaws.com`,
    })),
    user: "The SMTP user name of this region, not an access key",
    hint:
      "SMTP credentials are made for one region. In the sandbox, only verified addresses receive mail",
    documentation: "https://docs.aws.amazon.com/ses/latest/dg/smtp-credentials.html",
  },
  {
    ...{ id: "google", name: "Gmail and Google Workspace", ...STARTTLS },
    servers: [
      { label: "Gmail and Workspace", host: "smtp.gmail.com" },
      { label: "Workspace relay", host: "smtp-relay.gmail.com" },
    ],
    user: "The whole address",
    hint:
      "Log in by OAuth 2, or by an app password (16 letters) with 2-step verification. Port 465 " +
      "with TLS works, too. Gmail allows about " +
      "500 messages per day, Workspace 2,000",
    documentation: "https://support.google.com/a/answer/176600",
  },
  {
    ...{ id: "microsoft", name: "Microsoft 365", ...STARTTLS },
    servers: one("smtp.office365.com"),
    user: "The whole address of the mailbox",
    hint:
      "Log in by OAuth 2, and enable authenticated SMTP for the mailbox. Limits: 30 messages per minute, 3 connections",
    documentation:
      "https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/authenticated-client-smtp-submission",
  },
  {
    ...{ id: "postmark", name: "Postmark", ...STARTTLS },
    servers: [
      { label: "Transactional", host: "smtp.postmarkapp.com" },
      { label: "Broadcast", host: "smtp-broadcasts.postmarkapp.com" },
    ],
    user: "The Server API token; also use it as the password",
    hint: "The sender must be a confirmed signature or domain",
    documentation: "https://postmarkapp.com/developer/user-guide/send-email-with-smtp",
  },
  {
    ...{ id: "sendgrid", name: "SendGrid", ...STARTTLS },
    servers: [
      { label: "Global", host: "smtp.sendgrid.net" },
      { label: "EU", host: "smtp.eu.sendgrid.net" },
    ],
    user: 'The word "apikey"; the password is an API key with send permission',
    fixedUser: "apikey",
    hint: 'The user is literally "apikey", not the name of your key',
    documentation:
      "https://www.twilio.com/docs/sendgrid/for-developers/sending-email/integrating-with-the-smtp-api",
  },
  {
    ...{ id: "mailgun", name: "Mailgun", ...STARTTLS },
    servers: [
      { label: "US", host: "smtp.mailgun.org" },
      { label: "EU", host: "smtp.eu.mailgun.org" },
    ],
    user: "The SMTP login of your domain, such as postmaster@mg.example.com",
    hint: "Each domain has its own SMTP credentials; a domain in the EU needs the EU server",
    documentation:
      "https://documentation.mailgun.com/docs/mailgun/user-manual/sending-messages/send-smtp",
  },
  {
    ...{ id: "mailjet", name: "Mailjet", ...STARTTLS },
    servers: one("in-v3.mailjet.com"),
    user: "The API key; the password is the secret key",
    hint: "The sender must be validated in your account",
    documentation: "https://dev.mailjet.com/smtp-relay/configuration/",
  },
  {
    ...{ id: "brevo", name: "Brevo", ...STARTTLS },
    servers: one("smtp-relay.brevo.com"),
    user: "The SMTP login from the page SMTP & API",
    hint: "The password is an SMTP key, not an API key",
    documentation: "https://help.brevo.com/hc/en-us/articles/7924908994450",
  },
  {
    ...{ id: "sparkpost", name: "SparkPost", ...STARTTLS },
    servers: [
      { label: "US", host: "smtp.sparkpostmail.com" },
      { label: "EU", host: "smtp.eu.sparkpostmail.com" },
    ],
    user: 'The word "SMTP_Injection"; the password is an API key with "Send via SMTP"',
    fixedUser: "SMTP_Injection",
    hint: "The sending domain must be verified",
    documentation: "https://developers.sparkpost.com/api/smtp/",
  },
  {
    ...{ id: "resend", name: "Resend", ...IMPLICIT },
    servers: one("smtp.resend.com"),
    user: 'The word "resend"; the password is an API key',
    fixedUser: "resend",
    hint: "The domain of the sender must be verified",
    documentation: "https://resend.com/docs/send-with-smtp",
  },
  {
    ...{ id: "zoho", name: "Zoho Mail", ...IMPLICIT },
    servers: [
      { label: "US", host: "smtp.zoho.com" },
      { label: "EU", host: "smtp.zoho.eu" },
      { label: "India", host: "smtp.zoho.in" },
      { label: "Own domain", host: "smtppro.zoho.com" },
    ],
    user: "The whole address",
    hint: "With two-factor authentication, an app password is required",
    documentation: "https://www.zoho.com/mail/help/zoho-smtp.html",
  },
  {
    ...{ id: "fastmail", name: "Fastmail", ...IMPLICIT },
    servers: one("smtp.fastmail.com"),
    user: "The whole address of your account",
    hint: "Requires an app password with SMTP access",
    documentation: "https://www.fastmail.help/hc/en-us/articles/1500000278342",
  },
  {
    ...{ id: "ovh", name: "OVHcloud", ...IMPLICIT },
    servers: [
      { label: "Email (MX Plan)", host: "ssl0.ovh.net" },
      { label: "Email Pro", host: "pro1.mail.ovh.net" },
      { label: "Exchange", host: "ex.mail.ovh.net" },
    ],
    user: "The whole address",
    hint:
      "Email Pro and Exchange use port 587 with STARTTLS; their server name contains your number",
    documentation: "https://help.ovhcloud.com/csm/en-mx-plan-email-configuration",
  },
  {
    ...{ id: "ionos", name: "IONOS", ...IMPLICIT },
    servers: [
      { label: "Europe", host: "smtp.ionos.de" },
      { label: "US", host: "smtp.ionos.com" },
      { label: "United Kingdom", host: "smtp.ionos.co.uk" },
    ],
    user: "The whole address",
    hint: "The sender must be your login address",
    documentation:
      "https://www.ionos.com/help/email/general-topics/settings-for-your-email-programs/",
  },
  {
    ...{ id: "mailtrap", name: "Mailtrap", ...STARTTLS },
    servers: [
      { label: "Email Sending", host: "live.smtp.mailtrap.io" },
      { label: "Bulk", host: "bulk.smtp.mailtrap.io" },
      { label: "Sandbox (nothing is delivered)", host: "sandbox.smtp.mailtrap.io" },
    ],
    user: 'The word "api" with an API token, or the login of the sandbox',
    hint: "The sandbox delivers nothing; use it for tests",
    documentation: "https://docs.mailtrap.io/",
  },
  {
    ...{ id: "postfix", name: "Postfix on your own host", ...STARTTLS },
    servers: [{ label: "Your host", host: "" }],
    user: "A SASL user, or none if the server trusts this machine's address",
    hint:
      "For a host inside your network, the operator must allow it (EGRESS_ALLOW). If your own authority " +
      "signs its certificate, paste the authority's certificate",
    documentation: "https://www.postfix.org/SASL_README.html",
  },
];
