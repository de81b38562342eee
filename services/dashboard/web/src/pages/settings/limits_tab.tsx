import { Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { LimitView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { Section } from "../../parts/section.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";

/** The limits for requests and mails. */
export function LimitsTab() {
  const { data, error, refetch } = useQuery({
    queryKey: ["settings", "limits"],
    queryFn: ({ signal }) => request<LimitView[]>("/settings/limits", { signal }),
  });
  if (data === undefined) {
    if (error === null) return <Waiting />;
    return <Failed error={error} retry={() => void refetch()} />;
  }
  return (
    <Section
      title="Limits"
      about="The operator sets these limits. Requests above a limit get an error that names it."
    >
      <Table verticalSpacing="sm" horizontalSpacing={0}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>What</Table.Th>
            <Table.Th ta="right">At most</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.map(({ name, value, about }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Text size="sm">{name}</Text>
                <Text size="xs" c="dimmed">{about}</Text>
              </Table.Td>
              <Table.Td ta="right" style={{ whiteSpace: "nowrap" }}>{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Section>
  );
}
