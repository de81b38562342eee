import { Tabs } from "@mantine/core";
import { TbHistory, TbServerOff, TbSettings, TbSignature } from "react-icons/tb";
import { HttpError } from "../../api.ts";
import { NotFound } from "../../parts/not_found.tsx";
import { Page } from "../../parts/page.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { DkimPanel } from "./dkim_panel.tsx";
import { HealthPanel } from "./health_panel.tsx";
import { HistoryPanel } from "./history_panel.tsx";
import { useIntegration } from "./integration_queries.ts";
import { SettingsPanel } from "./settings_panel.tsx";

/** One integration: its state, its settings, its signing key, and its history. */
export function IntegrationDetail({ id }: { id: number }) {
  const { data, error, refetch } = useIntegration(id);
  if (error instanceof HttpError && error.code === "not_found" || Number.isNaN(id)) {
    return (
      <NotFound
        icon={TbServerOff}
        page="No integration"
        title="There is no such integration"
        list="integrations"
      />
    );
  }
  if (data === undefined) {
    return (
      <Page title="Integration" back="All integrations">
        {error === null ? <Waiting /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    );
  }
  return (
    <Page
      title={data.settings.name}
      back="All integrations"
      about={
        <>
          Id in requests: <b>{id}</b>
        </>
      }
    >
      <HealthPanel view={data} />
      <Tabs defaultValue="settings" keepMounted>
        <Tabs.List mb="md">
          <Tabs.Tab value="settings" leftSection={<TbSettings size={16} />}>Settings</Tabs.Tab>
          <Tabs.Tab value="dkim" leftSection={<TbSignature size={16} />}>Signing</Tabs.Tab>
          <Tabs.Tab value="history" leftSection={<TbHistory size={16} />}>History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="settings">
          <SettingsPanel view={data} />
        </Tabs.Panel>
        <Tabs.Panel value="dkim">
          <DkimPanel view={data} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <HistoryPanel view={data} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
