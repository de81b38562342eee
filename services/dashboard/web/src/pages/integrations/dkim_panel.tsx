import { Alert, Button, Grid, Group, Paper, Stack, Switch, Text, TextInput } from "@mantine/core";
import { modals } from "@mantine/modals";
import { TbCheck, TbRefresh, TbTrash, TbWorldSearch } from "react-icons/tb";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { DkimView, DnsCheck, IntegrationView } from "../../../../interface/integrations.ts";
import { type HttpError, request } from "../../api.ts";
import { CopyCode } from "../../parts/copy_text.tsx";
import { SectionTitle } from "../../parts/section_title.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { useMay } from "../../session.tsx";

/**
 * Shows how an integration signs its mail: the key, the record to publish, and whether it is
 * active.
 */
export function DkimPanel({ view }: { view: IntegrationView }) {
  const { dkim } = view;
  return (
    <Stack gap="md" maw={820}>
      <Paper withBorder component="section" p="lg">
        <Stack gap="sm">
          <SectionTitle>DKIM signature</SectionTitle>
          <Text size="sm">
            A signature proves to receivers that your domain sent the mail and that it was not
            changed. Most providers (Amazon SES, Postmark, SendGrid …) sign mail themselves; then
            you need no key here. Sign here if you run the server yourself, or if the provider signs
            for another domain.
          </Text>
          {dkim === null ? <NewKey view={view} /> : <Key view={view} dkim={dkim} />}
        </Stack>
      </Paper>
    </Stack>
  );
}

function useDkimChange(id: number, done: string) {
  const client = useQueryClient();
  return useMutation<
    IntegrationView,
    HttpError,
    { method: "POST" | "PUT" | "DELETE"; body?: unknown }
  >(
    {
      mutationFn: (options) => request<IntegrationView>(`/integrations/${id}/dkim`, options),
      onSuccess: (view) => {
        client.setQueryData(["integrations", id], view);
        void client.invalidateQueries({ queryKey: ["integrations"], exact: true });
        showDone(done);
      },
      onError: showError,
    },
  );
}

function NewKey({ view }: { view: IntegrationView }) {
  const { id, settings: { senders } } = view;
  const may = useMay("editor");
  const [domain, setDomain] = useState(senders[0]?.split("@")[1] ?? "");
  const [selector, setSelector] = useState("posthaste");
  const { mutate, isPending, error } = useDkimChange(
    id,
    "Key created. Publish its DNS record now",
  );
  const faultOf = (field: string) => error?.issues.find(({ path }) => path === field)?.message;
  if (!may) {
    return <Text size="sm" c="dimmed">Posthaste does not sign mail of this integration.</Text>;
  }
  return (
    <form
      aria-label="New key"
      onSubmit={(event) => {
        event.preventDefault();
        mutate({ method: "POST", body: { domain, selector } });
      }}
    >
      <Stack gap="sm">
        <Grid gap="sm">
          <Grid.Col span={{ base: 12, xs: 7 }}>
            <TextInput
              label="Domain"
              description="Domain of your sender addresses"
              required
              value={domain}
              onChange={(event) => setDomain(event.currentTarget.value)}
              error={faultOf("domain")}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, xs: 5 }}>
            <TextInput
              label="Selector"
              description="Any name, unique for each key"
              required
              value={selector}
              onChange={(event) => setSelector(event.currentTarget.value)}
              error={faultOf("selector")}
            />
          </Grid.Col>
        </Grid>
        <Group>
          <Button type="submit" loading={isPending}>Create key</Button>
          <Text size="sm" c="dimmed">RSA, 2048 bits. Mail is signed once you turn signing on.</Text>
        </Group>
      </Stack>
    </form>
  );
}

function Key({ view, dkim }: { view: IntegrationView; dkim: DkimView }) {
  const { id } = view;
  const may = useMay("editor");
  const { domain, selector, enabled, record } = dkim;
  const turn = useDkimChange(id, enabled ? "Signing is off" : "Signing is on");
  const remove = useDkimChange(id, "The key was removed");
  const check = useMutation({
    mutationFn: () => request<DnsCheck>(`/integrations/${id}/dkim/check`, { method: "POST" }),
    onError: showError,
  });
  const ask = () =>
    modals.openConfirmModal({
      title: "Remove this key?",
      children: (
        <Text size="sm">
          Mail will not be signed. Keep the DNS record for some days: receivers need it for mail in
          transit. To replace a key, remove it and create one with another selector.
        </Text>
      ),
      labels: { confirm: "Remove key", cancel: "Cancel" },
      confirmProps: { color: "red" },
      onConfirm: () => remove.mutate({ method: "DELETE" }),
    });
  const foreign = view.settings.senders.filter((sender) => !isOf(sender, domain));
  return (
    <Stack gap="md">
      <Switch
        label={enabled ? `Mail is signed for ${domain}` : "Mail is not signed yet"}
        description={enabled
          ? `Selector ${selector}`
          : "Publish the record below, check it, then turn signing on"}
        checked={enabled}
        disabled={!may || turn.isPending}
        onChange={(event) =>
          turn.mutate({ method: "PUT", body: { enabled: event.currentTarget.checked } })}
      />
      {enabled && check.data !== undefined && check.data.outcome !== "published" && (
        <Alert color="red">
          Receivers cannot check signatures without the record. Turn signing off until the record is
          published.
        </Alert>
      )}
      {foreign.length > 0 && (
        <Alert color="yellow">
          {foreign.slice(0, 3).join(", ")} is not of{" "}
          {domain}. For DMARC, the signature of such mail does not count.
        </Alert>
      )}
      <div>
        <Text size="sm" fw={600} mb={4}>Name of the TXT record</Text>
        <CopyCode code={record.name} label="Copy the name" />
        <Text size="xs" c="dimmed" mt={4}>
          Many DNS providers add your domain automatically. There, enter {selector}._domainkey.
        </Text>
      </div>
      <div>
        <Text size="sm" fw={600} mb={4}>Value</Text>
        <CopyCode code={record.value} label="Copy the value" />
      </div>
      <div>
        <Text size="sm" fw={600} mb={4}>Value for a zone file</Text>
        <CopyCode code={record.quoted} label="Copy the value for a zone file" />
        <Text size="xs" c="dimmed" mt={4}>
          In parts of at most 255 characters, as some providers require.
        </Text>
      </div>
      {check.data !== undefined && <Checked check={check.data} />}
      {may && (
        <Group>
          <Button
            variant={enabled ? "default" : "filled"}
            leftSection={<TbWorldSearch size={16} />}
            loading={check.isPending}
            onClick={() => check.mutate()}
          >
            Check the DNS
          </Button>
          <Button
            variant="outline"
            color="red"
            leftSection={<TbTrash size={16} />}
            loading={remove.isPending}
            onClick={ask}
          >
            Remove key
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function Checked({ check: { outcome, detail, found } }: { check: DnsCheck }) {
  const isGood = outcome === "published";
  return (
    <Alert
      role="status"
      color={isGood ? "teal" : outcome === "unavailable" ? "yellow" : "red"}
      icon={isGood ? <TbCheck size={20} /> : <TbRefresh size={20} />}
      title={isGood ? "Published" : outcome === "unavailable" ? "Unknown" : "Not published"}
    >
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>{detail}.</Text>
      {!isGood && found.length > 0 && (
        <Text size="xs" mt={4} style={{ overflowWrap: "anywhere" }}>
          Found: {found.join(" · ")}
        </Text>
      )}
    </Alert>
  );
}

function isOf(address: string, domain: string): boolean {
  const own = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
  return own === domain || own.endsWith(`.${domain}`);
}
