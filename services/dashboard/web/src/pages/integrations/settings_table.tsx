import { Paper, Table, Text } from "@mantine/core";
import type {
  IntegrationSettingsView,
  OauthLoginView,
} from "../../../../interface/integrations.ts";
import { SectionTitle } from "../../parts/section_title.tsx";
import { retryAgeText } from "./retry_ages.ts";

const ENCRYPTION: Record<IntegrationSettingsView["tls"], string> = {
  starttls: "STARTTLS",
  implicit: "TLS",
  none: "None: anyone on the network path can read the mail",
};

const WHEN_UNKNOWN: Record<IntegrationSettingsView["whenUnknown"], string> = {
  retry: "Send it again",
  hold: "Hold it for a decision",
};

const OAUTH: Record<OauthLoginView["kind"], string> = {
  oauthClientCredentials: "client credentials at Microsoft (OAuth 2)",
  oauthRefreshToken: "a person’s consent (OAuth 2)",
  googleServiceAccount: "a Google service account (OAuth 2)",
};

/** The settings of an integration, for people who may only read them. */
export function SettingsTable({ settings }: { settings: IntegrationSettingsView }) {
  return (
    <Paper withBorder component="section" p="lg" maw={820}>
      <SectionTitle>Settings</SectionTitle>
      <Text size="sm" c="dimmed" mb="xs">Editors and owners can change them</Text>
      <Table verticalSpacing="xs" horizontalSpacing={0} layout="fixed">
        <Table.Tbody>
          {rowsOf(settings).map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" w="40%" pr="sm" style={WRAP}>{label}</Table.Th>
              <Table.Td style={WRAP}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

function rowsOf(settings: IntegrationSettingsView): [label: string, value: string][] {
  const { host, port, tls, senders, ca, allowInvalidCertificate } = settings;
  const { maxConnections, maxPerMinute, retryForMs, whenUnknown, fallbacks } = settings;
  return [
    ["Server", `${host}:${port}`],
    ["Encryption", ENCRYPTION[tls]],
    ["Login", loginText(settings)],
    ["Sender addresses", senders.join(", ")],
    ["Concurrent connections", maxConnections.toLocaleString()],
    ["Messages per minute", maxPerMinute?.toLocaleString() ?? "No limit"],
    ["Retry for", retryAgeText(retryForMs)],
    ["When the outcome is unknown", WHEN_UNKNOWN[whenUnknown]],
    [
      "If it fails, send through",
      fallbacks.length === 0 ? "None" : fallbacks.map((id) => `Integration ${id}`).join(", "),
    ],
    ["Certificates", trustText({ ca, allowInvalidCertificate })],
  ];
}

function loginText({ user, authMethod, oauth }: IntegrationSettingsView): string {
  if (user === null) return "None";
  if (oauth !== null) return `${user}, by ${oauthText(oauth)}`;
  return authMethod === null ? user : `${user}, by ${authMethod}`;
}

function oauthText(oauth: OauthLoginView): string {
  if (oauth.kind !== "oauthRefreshToken") return OAUTH[oauth.kind];
  if (!oauth.hasRefreshToken) return `${OAUTH[oauth.kind]}, which nobody has given yet`;
  return oauth.consent === null
    ? OAUTH[oauth.kind]
    : `the consent of ${oauth.consent.by} (OAuth 2)`;
}

function trustText(
  { ca, allowInvalidCertificate }: Pick<IntegrationSettingsView, "ca" | "allowInvalidCertificate">,
): string {
  if (allowInvalidCertificate) return "Any certificate is accepted (not checked)";
  return ca === null ? "Public certificate authorities" : "Own certificate authority";
}

const WRAP = { whiteSpace: "normal", overflowWrap: "anywhere", verticalAlign: "top" } as const;
