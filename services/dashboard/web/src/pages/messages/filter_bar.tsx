import {
  Box,
  Button,
  Collapse,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  TextInput,
} from "@mantine/core";
import { TbFilter, TbX } from "react-icons/tb";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { MessageOptions } from "../../../../interface/messages.ts";
import { request } from "../../api.ts";
import { clearedOf, type Filter } from "./query_filter.ts";
import { LIVE_STATES, lookOfMessage } from "./message_look.ts";

const STATES = LIVE_STATES.map((value) => ({ value, label: lookOfMessage(value).label }));
const TYPING_MS = 400;

/** Names of the account's templates and integrations. */
export function useOptions(): MessageOptions | undefined {
  return useQuery({
    queryKey: ["messages", "options"],
    queryFn: ({ signal }) => request<MessageOptions>("/messages/options", { signal }),
    staleTime: 60_000,
  }).data;
}

interface FilterProps {
  filter: Filter;
  onChange: (changes: Filter) => void;
}

/** The filters of the list; behind a button on small screens. */
export function FilterBar(props: FilterProps) {
  const [isOpen, { toggle }] = useDisclosure();
  const set = Object.keys(props.filter).length;
  return (
    <>
      <Box visibleFrom="md">
        <Fields {...props} />
      </Box>
      <Box hiddenFrom="md">
        <Button
          variant="default"
          fullWidth
          leftSection={<TbFilter size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {set === 0 ? "Filters" : `Filters (${set})`}
        </Button>
        <Collapse expanded={isOpen}>
          <Box pt="sm">
            <Fields {...props} />
          </Box>
        </Collapse>
      </Box>
    </>
  );
}

function Fields({ filter, onChange }: FilterProps) {
  const options = useOptions();
  const named = (list: { id: number; name: string }[] = []) =>
    list.map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }));
  const isSet = Object.keys(filter).length > 0;
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }} spacing="xs" verticalSpacing="xs">
      <MultiSelect
        label="State"
        placeholder={filter.state ? "" : "Any"}
        data={STATES}
        value={filter.state?.split(",") ?? []}
        onChange={(states) => onChange({ state: states.join(",") })}
        clearable
      />
      <Typed
        label="Recipient, subject or id"
        placeholder="ann, invoice 42, msg_…"
        value={filter.email ?? ""}
        onChange={(email) => onChange({ email })}
      />
      <Typed
        label="Reason or server's reply"
        placeholder="mailbox full"
        value={filter.text ?? ""}
        onChange={(text) => onChange({ text })}
      />
      <Select
        label="Template"
        placeholder="Any"
        data={named(options?.templates)}
        value={filter.template ?? null}
        onChange={(template) => onChange({ template: template ?? "" })}
        clearable
        searchable
      />
      <Select
        label="Integration"
        placeholder="Any"
        data={named(options?.integrations)}
        value={filter.integration ?? null}
        onChange={(integration) => onChange({ integration: integration ?? "" })}
        clearable
        searchable
      />
      <TextInput
        type="datetime-local"
        label="Accepted from"
        value={localOf(filter.from)}
        onChange={(event) => onChange({ from: isoOf(event.currentTarget.value) })}
      />
      <TextInput
        type="datetime-local"
        label="Accepted before"
        value={localOf(filter.until)}
        onChange={(event) => onChange({ until: isoOf(event.currentTarget.value) })}
      />
      <Group align="flex-end">
        {isSet && (
          <Button
            variant="default"
            leftSection={<TbX size={16} />}
            onClick={() => onChange(clearedOf(filter))}
          >
            Clear filters
          </Button>
        )}
      </Group>
    </SimpleGrid>
  );
}

/** A field that reports its value when typing pauses. */
function Typed({ label, placeholder, value, onChange }: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

/** Formats a time in the reader's time zone, for the input field. */
function localOf(iso: string | undefined): string {
  if (iso === undefined) return "";
  const date = new Date(iso);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? "" : local.toISOString().slice(0, 16);
}

function isoOf(local: string): string {
  return local === "" ? "" : new Date(local).toISOString();
}
