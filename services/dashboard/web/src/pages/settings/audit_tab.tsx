import { Button, Center, Group, Stack, Text } from "@mantine/core";
import { TbHistory } from "react-icons/tb";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { AuditLine, AuditPage } from "../../../../interface/people.ts";
import { addressOf, request } from "../../api.ts";
import { Section } from "../../parts/section.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { auditText, detailText } from "./audit_text.ts";

/** The audit log, newest first. */
export function AuditTab() {
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ["audit"],
      queryFn: ({ pageParam, signal }) =>
        request<AuditPage>(
          `/audit${pageParam === "" ? "" : `?before=${encodeURIComponent(pageParam)}`}`,
          { signal },
        ),
      initialPageParam: "",
      getNextPageParam: ({ next }) => next,
      // Actions on other pages must be visible immediately.
      staleTime: 0,
    },
  );
  if (data === undefined) {
    if (error === null) return <Waiting />;
    return <Failed error={error} retry={() => void refetch()} />;
  }
  const lines = data.pages.flatMap((page) => page.lines);
  if (lines.length === 0) {
    return (
      <Empty icon={TbHistory} title="No entries yet">
        Changes that members make in this account are listed here.
      </Empty>
    );
  }
  return (
    <Section
      title="Audit log"
      about="Who changed what in this account, and who read message contents. Each line contains the digest of the line before."
    >
      <Button
        component="a"
        href={addressOf("/audit/export")}
        variant="default"
        size="xs"
        mb="md"
        download
      >
        Download all
      </Button>
      <Stack gap="sm" role="list">
        {lines.map((line) => <Line key={line.id} line={line} />)}
      </Stack>
      {hasNextPage && (
        <Center mt="lg">
          <Button
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            Show older
          </Button>
        </Center>
      )}
    </Section>
  );
}

function Line({ line }: { line: AuditLine }) {
  const { at, who, action, target, details } = line;
  const more = detailText(details);
  return (
    <Group role="listitem" justify="space-between" align="baseline" gap="xs" style={{ rowGap: 0 }}>
      <div style={{ minWidth: 0, flex: "1 1 240px" }}>
        <Text size="sm" style={{ overflowWrap: "anywhere" }}>
          <strong>{who ?? "The system"}</strong> {auditText(action)} {target}
        </Text>
        {more !== "" && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>{more}</Text>
        )}
      </div>
      <Time at={at} size="xs" c="dimmed" />
    </Group>
  );
}
