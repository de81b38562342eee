import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { TbPlus, TbServer } from "react-icons/tb";
import { Link } from "wouter";
import type { IntegrationSummary } from "../../../../interface/integrations.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { useIntegrations } from "./integration_queries.ts";
import { NextTry } from "./next_try.tsx";
import { ResumeButton } from "./resume_button.tsx";
import { formatRate } from "./format_rate.ts";
import { IntegrationBadge } from "./integration_badge.tsx";
import { WaitingCount } from "./waiting_count.tsx";

/** Lists all integrations, with their problems. */
export function IntegrationList() {
  const { data, error, refetch } = useIntegrations();
  const may = useMay("editor");
  const add = may && (
    <Button component={Link} href="/new" leftSection={<TbPlus size={16} />}>
      New integration
    </Button>
  );
  return (
    <Page
      title="Integrations"
      about="The SMTP servers that send your messages"
      actions={data?.length ? add : null}
    >
      {data === undefined
        ? error === null ? <Waiting /> : <Failed error={error} retry={() => void refetch()} />
        : data.length === 0
        ? (
          <Empty icon={TbServer} title="No SMTP server yet" action={add}>
            {may
              ? "Messages are sent through your own server: Amazon SES, Microsoft 365, Postmark, or your own Postfix. Add it, test the connection, and use its number in requests."
              : "Messages are sent through your own server. An editor or owner of the account can add one."}
          </Empty>
        )
        : (
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            {data.map((integration) => (
              <IntegrationCard key={integration.id} integration={integration} />
            ))}
          </SimpleGrid>
        )}
    </Page>
  );
}

function IntegrationCard({ integration }: { integration: IntegrationSummary }) {
  const { id, name, host, port, tls, user, senders, state, reason, waiting } = integration;
  const { openUntil, signsFor, allowInvalidCertificate, lastSent, lastFailed } = integration;
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Anchor component={Link} href={`/${id}`} fw={600} c="inherit" style={{ minWidth: 0 }}>
            <Text span inherit lineClamp={2}>{name}</Text>
          </Anchor>
          <Group pt={2}>
            <IntegrationBadge {...{ state, lastSent, lastFailed }} />
          </Group>
        </Group>
        <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          #{id} · {host}:{port} · {describeTls(tls)}
          {user !== null && ` · ${user}`}
        </Text>
        <Text size="sm" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
          From {senders.slice(0, 3).join(", ")}
          {senders.length > 3 && ` and ${senders.length - 3} more`}
          {signsFor !== null && ` · signed for ${signsFor}`}
        </Text>
        {allowInvalidCertificate && (
          <Text size="sm" c="red.8" darkHidden fw={600}>Its certificate is not checked</Text>
        )}
        {allowInvalidCertificate && (
          <Text size="sm" c="red.3" lightHidden fw={600}>Its certificate is not checked</Text>
        )}
        <Text size="sm" c="dimmed">
          {lastSent === null ? "No messages sent yet" : (
            <>
              Last sent <Time at={lastSent.at} size="sm" />
            </>
          )}
          {integration.attempts > 0 &&
            ` · ${formatRate(integration)} of attempts succeeded in 24 h`}
        </Text>
        {reason !== null && (
          <Group justify="space-between" gap="xs">
            <Text size="sm" flex={1} miw={180}>
              {reason}
              <NextTry {...{ state, openUntil }} />
              {waiting > 0 && ". "}
              <WaitingCount waiting={waiting} />
            </Text>
            <ResumeButton id={id} state={state} name={name} />
          </Group>
        )}
      </Stack>
    </Paper>
  );
}

function describeTls(tls: IntegrationSummary["tls"]): string {
  return tls === "starttls" ? "STARTTLS" : tls === "implicit" ? "TLS" : "not encrypted";
}
