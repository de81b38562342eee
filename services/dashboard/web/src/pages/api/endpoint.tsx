import { Accordion, Badge, Code, Group, Stack, Table, Text } from "@mantine/core";
import { Breakable } from "../../parts/breakable.tsx";
import { CopyCode } from "../../parts/copy_text.tsx";
import type { EndpointItem, Json } from "./endpoint_list.ts";
import { exampleOf } from "./example_of.ts";
import { TryForm } from "./try_form.tsx";

const COLORS: Readonly<Record<string, string>> = { GET: "blue", POST: "teal", PATCH: "orange" };

/** The line of an endpoint in the list. */
export function EndpointControl({ endpoint: { method, path, summary } }: {
  endpoint: EndpointItem;
}) {
  return (
    <Accordion.Control>
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <Badge color={COLORS[method] ?? "gray"} variant="light" w={64} style={{ flexShrink: 0 }}>
          {method}
        </Badge>
        <Stack gap={2} miw={0}>
          <Text ff="monospace" size="sm" style={{ overflowWrap: "anywhere" }}>
            <Breakable text={path} />
          </Text>
          <Text size="sm" c="dimmed">{summary}</Text>
        </Stack>
      </Group>
    </Accordion.Control>
  );
}

/** What an endpoint takes and answers, and a form that tries it. */
export function EndpointPanel({ endpoint, trial }: {
  endpoint: EndpointItem;
  /** Missing if requests cannot be tried here. */
  trial: { token: string } | undefined;
}) {
  const { scopes, parameters, body, answer, mediaType, errors } = endpoint;
  return (
    <Accordion.Panel>
      <Stack gap="md">
        <Text size="sm">
          {scopes.length === 0 ? "Any token may call it." : (
            <>
              Scope: {scopes.map((scope) => <Code key={scope} mr={4}>{scope}</Code>)}
            </>
          )}
        </Text>
        {parameters.length > 0 && (
          <Rows
            label="Parameters"
            rows={parameters.map(({ name, in: place, description }) => [name, place, description])}
          />
        )}
        {body && <Shape label="Body" schema={body} />}
        {answer && mediaType === "application/json"
          ? <Shape label="Answer" schema={answer} />
          : (
            <Text size="sm">
              Answer: <Code>{mediaType}</Code>
            </Text>
          )}
        <Rows label="Errors" rows={errors.map(({ status, codes }) => [status, codes])} />
        {trial && <TryForm endpoint={endpoint} token={trial.token} />}
      </Stack>
    </Accordion.Panel>
  );
}

function Shape({ label, schema }: { label: string; schema: Json }) {
  const code = JSON.stringify(exampleOf(schema), null, 2);
  return (
    <Stack gap={4}>
      <Text size="sm" fw={550}>{label}</Text>
      <CopyCode code={code} label={`Copy the example of the ${label.toLowerCase()}`} />
    </Stack>
  );
}

function Rows({ label, rows }: { label: string; rows: readonly (readonly string[])[] }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={550}>{label}</Text>
      <Table.ScrollContainer minWidth={320} type="native">
        <Table aria-label={label} withRowBorders={false} verticalSpacing={4} horizontalSpacing={4}>
          <Table.Tbody>
            {rows.map((cells) => (
              <Table.Tr key={cells.join()}>
                {cells.map((cell, position) =>
                  position === 0
                    ? (
                      <Table.Td key={position} w={150} style={{ whiteSpace: "nowrap" }}>
                        <Code>{cell}</Code>
                      </Table.Td>
                    )
                    : <Table.Td key={position}>{cell}</Table.Td>
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}
