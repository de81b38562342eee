import { Paper, Table, type TableProps } from "@mantine/core";

/** The table of a list page, in a frame: all have one height of rows and one look of heads. */
export function DataTable({ minWidth, visibleFrom, ...rest }: TableProps & {
  /** Below this width it scrolls, in CSS pixels. */
  minWidth: number;
}) {
  return (
    <Paper withBorder {...(visibleFrom === undefined ? {} : { visibleFrom })} style={CLIPPED}>
      <Table.ScrollContainer minWidth={minWidth} type="native">
        <Table className="data-table" horizontalSpacing="md" {...rest} />
      </Table.ScrollContainer>
    </Paper>
  );
}

/** The ground of the heads ends at the round corners. */
const CLIPPED = { overflow: "hidden" };
