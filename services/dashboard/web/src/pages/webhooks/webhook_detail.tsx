import { Alert, Group, Tabs, Text } from "@mantine/core";
import { TbAlertTriangle, TbList, TbSettings, TbWebhookOff } from "react-icons/tb";
import { HttpError } from "../../api.ts";
import { NotFound } from "../../parts/not_found.tsx";
import { Page } from "../../parts/page.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import type { WebhookView } from "../../../../interface/webhooks.ts";
import { DeliveryPanel } from "./delivery_panel.tsx";
import { SettingsPanel } from "./settings_panel.tsx";
import { useWebhook } from "./webhook_queries.ts";
import { WebhookActions } from "./webhook_actions.tsx";
import { WebhookBadge } from "./webhook_badge.tsx";
import { lookOfWebhook } from "./webhook_look.ts";

/** One webhook: its state, its deliveries, and its settings. */
export function WebhookDetail({ id }: { id: string }) {
  const { data, error, refetch } = useWebhook(id);
  if (error instanceof HttpError && error.code === "not_found") {
    return (
      <NotFound
        icon={TbWebhookOff}
        page="No webhook"
        title="There is no such webhook"
        list="webhooks"
      />
    );
  }
  if (data === undefined) {
    return error === null ? <Waiting /> : <Failed error={error} retry={() => void refetch()} />;
  }
  return (
    <Page
      title={data.description || new URL(data.url).host}
      back="All webhooks"
      about={<span style={{ overflowWrap: "anywhere" }}>{data.url}</span>}
      actions={<WebhookActions view={data} />}
    >
      <Health view={data} />
      <Tabs defaultValue="deliveries">
        <Tabs.List mb="md">
          <Tabs.Tab value="deliveries" leftSection={<TbList size={16} />}>Deliveries</Tabs.Tab>
          <Tabs.Tab value="settings" leftSection={<TbSettings size={16} />}>Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="deliveries">
          <DeliveryPanel id={id} />
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <SettingsPanel key={data.updatedAt} view={data} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Health({ view }: { view: WebhookView }) {
  const { state, behind, disabledReason, lastFailure, retryAt, lastSuccessAt } = view;
  const error = disabledReason ?? (state === "ready" ? undefined : lastFailure?.error);
  return (
    <>
      <Group gap="md">
        <WebhookBadge state={state} />
        <Text size="sm" c="dimmed">
          {lastSuccessAt === null ? "No request succeeded yet" : (
            <>
              Last success <Time at={lastSuccessAt} size="sm" />
            </>
          )}
          {behind > 0 && ` · ${behind} events behind`}
        </Text>
      </Group>
      {error !== undefined && (
        <Alert color={lookOfWebhook(state).color} icon={<TbAlertTriangle size={20} />}>
          {error}
          {state === "down" && retryAt !== null && (
            <>
              . The next request is made <Time at={retryAt} size="sm" />
            </>
          )}
        </Alert>
      )}
    </>
  );
}
