import { Button, Group } from "@mantine/core";
import type { ReactNode } from "react";

/** What a list needs to have its next page loaded, as `useInfiniteQuery()` returns it. */
export interface PagedList {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): Promise<unknown>;
}

/** The button below a list that loads its next page; nothing at the end of the list. */
export function ShowMore({ list, children }: { list: PagedList; children: ReactNode }) {
  if (!list.hasNextPage) return null;
  return (
    <Group justify="center">
      <Button
        variant="default"
        loading={list.isFetchingNextPage}
        onClick={() => void list.fetchNextPage()}
      >
        {children}
      </Button>
    </Group>
  );
}
