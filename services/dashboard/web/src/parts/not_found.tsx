import { Button } from "@mantine/core";
import type { IconType } from "react-icons";
import { Link } from "wouter";
import { Page } from "./page.tsx";
import { Empty } from "./states.tsx";

/** A page for an object that the account does not have. `list` names all objects of its kind. */
export function NotFound({ icon, page, title, list }: {
  icon: IconType;
  page: string;
  title: string;
  list: string;
}) {
  return (
    <Page title={page}>
      <Empty
        icon={icon}
        title={title}
        action={<Button component={Link} href="/">Show all {list}</Button>}
      >
        It may have been removed, or it belongs to another account.
      </Empty>
    </Page>
  );
}
