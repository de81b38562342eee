import { Anchor, Button, Group, Paper, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { TbPlus, TbWebhook } from "react-icons/tb";
import { Link } from "wouter";
import type { WebhookView } from "../../../../interface/webhooks.ts";
import { Breakable } from "../../parts/breakable.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useMay } from "../../session.tsx";
import { NewWebhook } from "./new_webhook.tsx";
import { useWebhooks } from "./webhook_queries.ts";
import { WebhookBadge } from "./webhook_badge.tsx";

/** All webhooks of the account, with their problems. */
export function WebhookList() {
  const { data, error, refetch } = useWebhooks();
  const [isOpen, { open, close }] = useDisclosure();
  const may = useMay("editor");
  const add = may && <Button leftSection={<TbPlus size={16} />} onClick={open}>Add webhook</Button>;
  return (
    <Page
      title="Webhooks"
      about="Posthaste calls these URLs when something happens to your messages"
      actions={data?.length ? add : null}
    >
      {data === undefined
        ? error === null ? <Waiting /> : <Failed error={error} retry={() => void refetch()} />
        : data.length === 0
        ? (
          <Empty icon={TbWebhook} title="No webhooks yet" action={add}>
            Add the URL of a program that wants to know when messages are sent, wait or fail.
          </Empty>
        )
        : (
          <Stack gap="sm">
            {data.map((webhook) => <WebhookCard key={webhook.id} webhook={webhook} />)}
          </Stack>
        )}
      <NewWebhook isOpen={isOpen} close={close} />
    </Page>
  );
}

function WebhookCard({ webhook }: { webhook: WebhookView }) {
  const { id, url, description, state, disabledReason, lastFailure, lastSuccessAt } = webhook;
  const error = disabledReason ?? (state === "ready" ? undefined : lastFailure?.error);
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" align="flex-start" gap="sm" wrap="nowrap">
        <Stack gap={4} miw={0}>
          <Anchor
            component={Link}
            href={`/${id}`}
            fw={600}
            size="sm"
            style={{ overflowWrap: "anywhere" }}
          >
            <Breakable text={url} />
          </Anchor>
          {description !== "" && <Text size="sm">{description}</Text>}
          <Text size="sm" c="dimmed">
            {lastSuccessAt === null ? "No request succeeded yet" : (
              <>
                Last success <Time at={lastSuccessAt} size="sm" />
              </>
            )}
          </Text>
          {error !== undefined && <Text size="sm" c="red">{error}</Text>}
        </Stack>
        <WebhookBadge state={state} />
      </Group>
    </Paper>
  );
}
