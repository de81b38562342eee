import { Alert, Anchor, Badge, Button, Group, Stack, Switch, Text } from "@mantine/core";
import { TbFilterOff, TbSend } from "react-icons/tb";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { MessageList as MessagePageOf, StateTotals } from "../../../../interface/messages.ts";
import { request } from "../../api.ts";
import { ShowMore } from "../../parts/show_more.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { AddressExport } from "./address_export.tsx";
import { FilterBar, useOptions } from "./filter_bar.tsx";
import { type LiveState, useLiveRows } from "./live_rows.ts";
import { lookOfMessage } from "./message_look.ts";
import { MessageRows } from "./message_rows.tsx";
import { clearedOf, type Filter, queryOf, useFilter } from "./query_filter.ts";
import { RetryAll } from "./retry_all.tsx";

const LIVE_LABEL: Record<LiveState, string> = {
  off: "Live updates are off",
  connecting: "Connecting…",
  on: "Live",
};

/** The list of messages. */
export default function MessageList() {
  const [filter, setFilter] = useFilter();
  const [isOn, setOn] = useState(true);
  const { live, counts } = useLiveRows(filter, isOn);
  const options = useOptions();
  const query = queryOf(filter);
  const list = useInfiniteQuery({
    queryKey: ["messages", "list", query],
    queryFn: ({ signal, pageParam: before }) =>
      request<MessagePageOf>(`/messages${queryOf({ ...filter, ...(before ? { before } : {}) })}`, {
        signal,
      }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  const last = list.data?.pages.at(-1);
  const isFiltered = query !== "";
  const isEmpty = last !== undefined && rows.length === 0 && !last.isCut && !list.isPlaceholderData;
  const isNothing = isEmpty && !isFiltered;
  return (
    <Page
      title="Messages"
      about="All messages of this account, newest first."
      wide
      actions={
        <Switch
          label={LIVE_LABEL[live]}
          checked={isOn}
          onChange={(event) => setOn(event.currentTarget.checked)}
        />
      }
    >
      {counts && !isNothing && <Totals counts={counts} filter={filter} onPick={setFilter} />}
      {!isNothing && <FilterBar filter={filter} onChange={setFilter} />}
      {filter.batch !== undefined && <OneBatch id={filter.batch} />}
      {filter.reason !== undefined && <OneReason filter={filter} />}
      {list.isPending && <Waiting label="Loading messages" />}
      {list.error && <Failed error={list.error} retry={() => void list.refetch()} />}
      {rows.length > 0 && <MessageRows rows={rows} options={options} withOrigin />}
      {last?.isCut && (
        <Alert color="yellow" title="The search is incomplete">
          <Text size="sm">
            The search stopped because it took too long. Narrow the time range, or continue.
          </Text>
        </Alert>
      )}
      {isNothing && <NoMail />}
      {isEmpty && isFiltered && <NoMatch onClear={() => setFilter(clearedOf(filter))} />}
      <ShowMore list={list}>
        {last?.isCut ? "Continue searching" : "Show older messages"}
      </ShowMore>
    </Page>
  );
}

/** Names a filter that has no field. */
function OneBatch({ id }: { id: string }) {
  return (
    <Text size="sm">
      Only messages of{" "}
      <Anchor component={Link} href={`~/batches/${id}`} underline="always" inherit>
        one batch
      </Anchor>
    </Text>
  );
}

/** Shows the exact object that the address names, and offers to retry all its messages. */
function OneReason({ filter }: { filter: Filter }) {
  const { state, reason = "", code, enhanced, send, from } = filter;
  const isOne = state === "failed" || state === "unknown" || state === "deferred";
  return (
    <Alert color="blue" title="Show only messages with this reason">
      <Text size="sm">{reason} {code} {enhanced}</Text>
      {isOne && (
        <Group mt="xs" gap="xs">
          <AddressExport filter={filter} />
          <RetryAll
            cause={{
              ...{ state, reason, send, from },
              code: code === undefined ? null : Number(code),
              enhanced: enhanced ?? null,
            }}
          />
        </Group>
      )}
    </Alert>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Empty
      icon={TbFilterOff}
      title="No messages match"
      action={<Button variant="default" onClick={onClear}>Show all messages</Button>}
    >
      Remove a filter, or widen the time range.
    </Empty>
  );
}

function NoMail() {
  return (
    <Empty icon={TbSend} title="No messages yet">
      Messages sent with one of your{" "}
      <Anchor component={Link} href="~/tokens" underline="always">tokens</Anchor>{" "}
      appear here immediately. To start, open an{" "}
      <Anchor component={Link} href="~/email-templates" underline="always">email template</Anchor>
      . Its editor can send you a test message and copy the request as curl.
    </Empty>
  );
}

/** Filters for messages that need attention. */
function Totals({ counts, filter, onPick }: {
  counts: StateTotals;
  filter: Filter;
  onPick: (changes: Filter) => void;
}) {
  return (
    <Stack gap={4}>
      <Group gap="xs" role="group" aria-label="In the last 24 hours">
        {(["failed", "unknown", "deferred"] as const).map((state) => (
          <Button
            key={state}
            size="compact-sm"
            variant={filter.state === state ? "light" : "default"}
            aria-pressed={filter.state === state}
            onClick={() => onPick({ state: filter.state === state ? "" : state })}
            rightSection={
              <Badge
                size="sm"
                variant="light"
                color="gray"
                autoContrast
                circle={counts[state] < 10}
              >
                {counts[state] >= 1000 ? "1000+" : counts[state]}
              </Badge>
            }
          >
            {lookOfMessage(state).label}
          </Button>
        ))}
        <Text size="xs" c="dimmed">in the last 24 hours</Text>
      </Group>
    </Stack>
  );
}
