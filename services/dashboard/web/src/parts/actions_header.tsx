import { Table, VisuallyHidden } from "@mantine/core";

/** The header of a table's column with buttons, which has a name for screen readers alone. */
export function ActionsHeader({ width }: { width?: number }) {
  return (
    <Table.Th {...(width === undefined ? {} : { w: width })}>
      <VisuallyHidden>Actions</VisuallyHidden>
    </Table.Th>
  );
}
