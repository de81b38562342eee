import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { TbDownload, TbFileImport, TbFilterOff, TbMailOff, TbPlus } from "react-icons/tb";
import { useSearchParams } from "wouter";
import { addressOf } from "../../api.ts";
import { ShowMore } from "../../parts/show_more.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Pending } from "../../parts/states.tsx";
import { useMay } from "../../session.tsx";
import { AddAddress } from "./add_address.tsx";
import { countText } from "../../parts/count_text.ts";
import { ImportAddresses } from "./import_addresses.tsx";
import { RefusalSwitch } from "./refusal_switch.tsx";
import { useSuppressions } from "./suppression_queries.ts";
import { SuppressionRows } from "./suppression_rows.tsx";

const TYPING_MS = 400;

/** The addresses that the account sends no mail to. */
export default function Suppressions() {
  const [params] = useSearchParams();
  const [typed, setTyped] = useState(params.get("part") ?? "");
  const [part] = useDebouncedValue(typed.trim(), TYPING_MS);
  const mayEdit = useMay("editor");
  const [isAdding, adding] = useDisclosure();
  const [isImporting, importing] = useDisclosure();
  const query = useSuppressions(part);
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  const [first] = query.data?.pages ?? [];
  const isNothing = first?.entries === 0;
  const isEmpty = first !== undefined && rows.length === 0 && !query.isPlaceholderData;
  const actions = mayEdit && (
    <>
      <Button
        variant="default"
        leftSection={<TbFileImport size={16} />}
        onClick={importing.open}
      >
        Import
      </Button>
      {!isNothing && (
        <Button
          component="a"
          href={addressOf("/suppressions/export")}
          variant="default"
          leftSection={<TbDownload size={16} />}
          download
        >
          Export
        </Button>
      )}
      <Button leftSection={<TbPlus size={16} />} onClick={adding.open}>Add address</Button>
    </>
  );
  return (
    <Page
      title="Suppressed addresses"
      about="Messages to these addresses are not sent"
      actions={first && !isNothing && actions}
    >
      <RefusalSwitch />
      <Pending query={query} />
      {isNothing && (
        <Empty
          icon={TbMailOff}
          title="No suppressed addresses"
          action={actions && <Group justify="center" gap="xs">{actions}</Group>}
        >
          An address is added if its server reports that the mailbox does not exist, or by a person
          or program.
        </Empty>
      )}
      {first && !isNothing && (
        <Stack gap="sm">
          <TextInput
            label="Address"
            placeholder="ann, example.com"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            maw={420}
          />
          <Text size="sm" c="dimmed" role="status">
            {countText(first.entries, "entry", "entries")} of at most{" "}
            {first.maxEntries.toLocaleString("en")}
          </Text>
          {rows.length > 0 && <SuppressionRows rows={rows} mayEdit={mayEdit} />}
          {isEmpty && (
            <Empty
              icon={TbFilterOff}
              title="No addresses match"
              action={part !== "" && (
                <Button variant="default" onClick={() => setTyped("")}>Show all addresses</Button>
              )}
            >
              Addresses of people who were forgotten on request are not shown, but get no mail
              either.
            </Empty>
          )}
          <ShowMore list={query}>
            Show more
          </ShowMore>
        </Stack>
      )}
      <AddAddress isOpen={isAdding} close={adding.close} />
      <ImportAddresses isOpen={isImporting} close={importing.close} />
    </Page>
  );
}
