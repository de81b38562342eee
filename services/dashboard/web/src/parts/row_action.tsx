import { Button, type ButtonProps } from "@mantine/core";
import type { ComponentPropsWithoutRef } from "react";

/** The button of a row. It is quiet, also if it removes something: the question before that is not. */
export function RowAction(props: ButtonProps & ComponentPropsWithoutRef<"button">) {
  return <Button size="compact-sm" variant="subtle" color="gray" flex="none" {...props} />;
}
