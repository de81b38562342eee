import { Button } from "@mantine/core";
import { TbDownload } from "react-icons/tb";
import { addressOf } from "../../api.ts";
import { type Filter, queryOf } from "./query_filter.ts";

/** A button that downloads the addresses of the messages that a filter finds. */
export function AddressExport({ filter }: { filter: Filter }) {
  return (
    <Button
      component="a"
      href={addressOf(`/messages/addresses${queryOf(filter)}`)}
      download
      size="xs"
      variant="default"
      leftSection={<TbDownload size={14} aria-hidden />}
    >
      Addresses (CSV)
    </Button>
  );
}
