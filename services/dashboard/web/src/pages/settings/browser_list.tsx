import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { BrowserView } from "../../../../interface/people.ts";
import { request } from "../../api.ts";
import { confirmAction } from "../../parts/confirm.tsx";
import { RowAction } from "../../parts/row_action.tsx";
import { Section } from "../../parts/section.tsx";
import { Pending } from "../../parts/states.tsx";
import { showDone, showError } from "../../parts/show_outcome.ts";
import { Time } from "../../parts/time.tsx";
import { browserName } from "./user_agent.ts";

/** The browsers in which the user is signed in. */
export function BrowserList() {
  const query = useQuery({
    queryKey: ["you", "sessions"],
    queryFn: ({ signal }) => request<BrowserView[]>("/you/sessions", { signal }),
  });
  const { data } = query;
  const everywhere = () =>
    confirmAction({
      title: "Sign out everywhere?",
      text: "All browsers are signed out, including this one.",
      label: "Sign out everywhere",
      done: "Signed out everywhere",
      act: async () => {
        await request("/you/sessions", { method: "DELETE" });
        location.assign("/");
      },
    });
  return (
    <Section
      title="Browsers"
      about="Where you are signed in. Sign out any browser that you do not recognize."
    >
      <Pending query={query} />
      {data !== undefined && (
        <Stack gap="sm">
          {data.map((browser) => <BrowserRow key={browser.id} browser={browser} />)}
          <div>
            <Button variant="default" mt="xs" onClick={everywhere}>Sign out everywhere</Button>
          </div>
        </Stack>
      )}
    </Section>
  );
}

function BrowserRow({ browser }: { browser: BrowserView }) {
  const { id, userAgent, createdAt, lastSeenAt, isThis } = browser;
  const client = useQueryClient();
  const name = browserName(userAgent);
  const { mutate, isPending } = useMutation({
    mutationFn: () => request(`/you/sessions/${id}`, { method: "DELETE" }),
    onSuccess: () => showDone(`${name} is signed out`),
    onError: showError,
    onSettled: () => client.invalidateQueries({ queryKey: ["you"] }),
  });
  return (
    <Group justify="space-between" gap="xs">
      <div>
        <Group gap={6}>
          <Text size="sm" fw={550}>{name}</Text>
          {isThis && <Badge variant="light" size="sm" tt="none">this one</Badge>}
        </Group>
        <Text size="xs" c="dimmed">
          Last seen <Time at={lastSeenAt} size="xs" />, signed in <Time at={createdAt} size="xs" />
        </Text>
      </div>
      {!isThis && (
        <RowAction
          loading={isPending}
          onClick={() => mutate()}
          aria-label={`Sign out ${name}`}
        >
          Sign out
        </RowAction>
      )}
    </Group>
  );
}
