import { Badge, Group, Paper, Stack, Switch, Table, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TokenState, TokenView } from "../../../../interface/tokens.ts";
import { request } from "../../api.ts";
import { ActionsHeader } from "../../parts/actions_header.tsx";
import { confirmAction } from "../../parts/confirm.tsx";
import { DataTable } from "../../parts/data_table.tsx";
import { RowAction } from "../../parts/row_action.tsx";
import { type StateLook, StatePill } from "../../parts/state_pill.tsx";
import { Time } from "../../parts/time.tsx";
import { RollButton } from "./roll_token.tsx";

const STATES: Record<TokenState, StateLook> = {
  active: { label: "Active", color: "teal" },
  expired: { label: "Expired", color: "yellow" },
  revoked: { label: "Revoked", color: "red" },
};

/** The tokens, newest first, as a table or, on a phone, as cards; those that have ended are folded away. */
export function TokenTable({ tokens, mayRevoke }: { tokens: TokenView[]; mayRevoke: boolean }) {
  const active = tokens.filter(({ state }) => state === "active");
  const ended = tokens.length - active.length;
  const [isAll, setAll] = useState(active.length === 0);
  const shown = isAll ? tokens : active;
  return (
    <>
      {ended > 0 && (
        <Switch
          label={`Show ${ended} inactive`}
          checked={isAll}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
      )}
      <Stack hiddenFrom="md" gap="sm">
        {shown.map((token) => <TokenCard key={token.id} token={token} mayRevoke={mayRevoke} />)}
      </Stack>
      <DataTable minWidth={820} visibleFrom="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Permissions</Table.Th>
            <Table.Th>Created</Table.Th>
            <Table.Th>Last used</Table.Th>
            <Table.Th>Expires</Table.Th>
            <Table.Th>State</Table.Th>
            {mayRevoke && <ActionsHeader />}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((token) => (
            <TokenRow
              key={token.id}
              token={token}
              mayRevoke={mayRevoke}
            />
          ))}
        </Table.Tbody>
      </DataTable>
    </>
  );
}

interface TokenProps {
  token: TokenView;
  mayRevoke: boolean;
}

function TokenRow({ token, mayRevoke }: TokenProps) {
  const { createdAt, createdBy, lastUsedAt, expiresAt } = token;
  return (
    <Table.Tr>
      <Table.Td maw={260}>
        <TokenName token={token} />
      </Table.Td>
      <Table.Td>
        <Scopes token={token} />
      </Table.Td>
      <Table.Td>
        <Time at={createdAt} size="sm" />
        <Text size="xs" c="dimmed">by {createdBy ?? "the command line"}</Text>
      </Table.Td>
      <Table.Td>
        <Time at={lastUsedAt} size="sm" />
      </Table.Td>
      <Table.Td>
        <Time at={expiresAt} size="sm" />
      </Table.Td>
      <Table.Td>
        <State token={token} />
      </Table.Td>
      {mayRevoke && (
        <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>
          <RollButton token={token} />
          <RevokeButton token={token} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function TokenCard({ token, mayRevoke }: TokenProps) {
  const { state, createdAt, createdBy, lastUsedAt, expiresAt } = token;
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <TokenName token={token} />
          <State token={token} />
        </Group>
        <Scopes token={token} />
        <Group justify="space-between" wrap="nowrap" gap="sm">
          <Text size="xs" c="dimmed">
            Created <Time at={createdAt} size="xs" /> by {createdBy ?? "the command line"},{" "}
            {lastUsedAt === null ? "never used" : (
              <>
                last used <Time at={lastUsedAt} size="xs" />
              </>
            )}, {expiresAt === null ? "never expires" : (
              <>
                {state === "expired" ? "expired" : "expires"} <Time at={expiresAt} size="xs" />
              </>
            )}
          </Text>
          {mayRevoke && (
            <Group gap={0} wrap="nowrap">
              <RollButton token={token} />
              <RevokeButton token={token} />
            </Group>
          )}
        </Group>
      </Stack>
    </Paper>
  );
}

function TokenName({ token: { name, prefix } }: { token: TokenView }) {
  return (
    <div>
      <Text size="sm" fw={550} style={{ overflowWrap: "anywhere" }}>{name}</Text>
      <Text size="xs" c="dimmed" ff="monospace">{prefix}…</Text>
    </div>
  );
}

function Scopes({ token: { scopes, limits } }: { token: TokenView }) {
  const words = limitWords(limits);
  return (
    <>
      <Group gap={4}>
        {scopes.map((scope) => (
          <Badge key={scope} variant="default" tt="none" fw={500}>{scope}</Badge>
        ))}
      </Group>
      {words !== "" && <Text size="xs" c="dimmed" mt={4}>{words}</Text>}
    </>
  );
}

/** Returns what a token is limited to: `templates 1, 2; from 203.0.113.7`. */
function limitWords({ addresses, templates, integrations }: TokenView["limits"]): string {
  return [
    ...(templates.length === 0 ? [] : [`templates ${templates.join(", ")}`]),
    ...(integrations.length === 0 ? [] : [`integrations ${integrations.join(", ")}`]),
    ...(addresses.length === 0 ? [] : [`from ${addresses.join(", ")}`]),
  ].join("; ");
}

function State({ token: { state } }: { token: TokenView }) {
  return <StatePill {...STATES[state]} />;
}

function RevokeButton({ token: { id, name, state } }: { token: TokenView }) {
  const client = useQueryClient();
  if (state !== "active") return null;
  const revoke = () =>
    confirmAction({
      title: `Revoke the token ${name}?`,
      text: "Requests with this token are refused within 5 seconds. This cannot be undone.",
      label: "Revoke",
      done: `The token ${name} is revoked`,
      act: async () => {
        await request(`/tokens/${id}/revoke`, { method: "POST" });
        await client.invalidateQueries({ queryKey: ["tokens"] });
      },
    });
  return (
    <RowAction
      onClick={revoke}
      aria-label={`Revoke ${name}`}
    >
      Revoke
    </RowAction>
  );
}
