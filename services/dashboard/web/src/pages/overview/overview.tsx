import { Grid, SimpleGrid, Stack } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { OverviewRange, OverviewView } from "../../../../interface/overview.ts";
import { request } from "../../api.ts";
import { Page } from "../../parts/page.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { useSession } from "../../session.tsx";
import { AttentionCard } from "./attention_card.tsx";
import { MailCard } from "./mail_card.tsx";
import { SetupCard } from "./setup_card.tsx";
import { DurationsCard, QueuesCard } from "./stages_card.tsx";

const EVERY_MS = 10_000;

/** The state of the account's mail, and problems that need attention. */
export default function Overview() {
  const { account } = useSession();
  const [range, setRange] = useState<OverviewRange>("24h");
  const { data, error, refetch } = useQuery({
    queryKey: ["overview", range],
    queryFn: ({ signal }) => request<OverviewView>(`/overview?range=${range}`, { signal }),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <Page title="Overview" about={account.name}>
      {error && data === undefined && <Failed error={error} retry={() => void refetch()} />}
      {data === undefined && !error && <Waiting label="Loading the overview" />}
      {data && (
        <Grid>
          {data.setup.some(({ isDone }) => !isDone) && (
            <Grid.Col span={12}>
              <SetupCard steps={data.setup} />
            </Grid.Col>
          )}
          {/* Where there is one column it comes first. */}
          <Grid.Col span={{ base: 12, md: 4 }} order={{ md: 1 }}>
            <AttentionCard items={data.attention} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 8 }}>
            <Stack>
              <MailCard view={data} range={range} onRange={setRange} />
              <SimpleGrid cols={{ base: 1, lg: 2 }}>
                <QueuesCard stages={data.stages} />
                <DurationsCard durations={data.durations} />
              </SimpleGrid>
            </Stack>
          </Grid.Col>
        </Grid>
      )}
    </Page>
  );
}
