import { Title, type TitleProps } from "@mantine/core";

/** The heading of a card or another part of a page. */
export function SectionTitle(props: Omit<TitleProps, "order" | "size">) {
  return <Title order={2} size="h3" {...props} />;
}
