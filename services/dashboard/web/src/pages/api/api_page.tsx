import { Accordion, Anchor, Code, PasswordInput, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { Link } from "wouter";
import type { ApiPageView } from "../../../../interface/api_page.ts";
import { CopyText } from "../../parts/copy_text.tsx";
import { Page } from "../../parts/page.tsx";
import { SectionTitle } from "../../parts/section_title.tsx";
import { Pending } from "../../parts/states.tsx";
import { useApi } from "./api_queries.ts";
import { EndpointControl, EndpointPanel } from "./endpoint.tsx";
import { type EndpointGroup, endpointGroups } from "./endpoint_list.ts";

/** The interface for programs: every endpoint, which can be tried with a token. */
export default function ApiPage() {
  const query = useApi();
  return (
    <Page
      title="API"
      about="Every request that a program can make. The examples are made from the OpenAPI document."
    >
      {query.data === undefined ? <Pending query={query} /> : <Endpoints view={query.data} />}
    </Page>
  );
}

function Endpoints({ view: { document, apiUrl, canTry } }: { view: ApiPageView }) {
  const groups = useMemo(() => endpointGroups(document), [document]);
  // It stays in the memory of this page.
  const [token, setToken] = useState("");
  return (
    <Stack gap="xl">
      <Stack gap="xs">
        <Text size="sm">
          Base URL <Code>{apiUrl}</Code> <CopyText text={apiUrl} label="Copy the base URL" />
        </Text>
        {canTry
          ? (
            <PasswordInput
              label="Access token"
              description={
                <>
                  To try requests. Make one on the page{" "}
                  <Anchor component={Link} href="~/tokens" inherit underline="always">
                    Tokens
                  </Anchor>. It is not stored.
                </>
              }
              value={token}
              onChange={({ currentTarget }) => setToken(currentTarget.value.trim())}
              autoComplete="off"
              maw={480}
              visibilityToggleButtonProps={{ "aria-label": "Show the token" }}
            />
          )
          : (
            <Text size="sm" c="dimmed">
              Requests cannot be tried here: the operator has not set TRY_API_URL.
            </Text>
          )}
      </Stack>
      {groups.map((group) => (
        <Group key={group.name} group={group} trial={canTry ? { token } : undefined} />
      ))}
    </Stack>
  );
}

function Group({ group: { name, endpoints }, trial }: {
  group: EndpointGroup;
  trial: { token: string } | undefined;
}) {
  return (
    <Stack gap="xs" component="section" aria-label={name}>
      <SectionTitle>{name}</SectionTitle>
      <Accordion variant="contained" chevronPosition="left" order={3}>
        {endpoints.map((endpoint) => (
          <Accordion.Item key={endpoint.id} value={endpoint.id}>
            <EndpointControl endpoint={endpoint} />
            <EndpointPanel endpoint={endpoint} trial={trial} />
          </Accordion.Item>
        ))}
      </Accordion>
    </Stack>
  );
}
