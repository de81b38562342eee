import { Group, Select, TextInput } from "@mantine/core";
import { EXPIRIES } from "./expiry.ts";

/** Asks when something ends: after a time, at a date, or never. The form has `expiry` and `expiresAt`. */
export function ExpiryFields({ label, expiry, propsOf }: {
  label: string;
  /** The chosen value of `EXPIRIES`. */
  expiry: string;
  propsOf: (field: "expiry" | "expiresAt") => object;
}) {
  return (
    <Group align="flex-start" grow>
      <Select label={label} data={EXPIRIES} allowDeselect={false} {...propsOf("expiry")} />
      {expiry === "date" && (
        <TextInput
          label="Date"
          type="date"
          min={new Date().toISOString().slice(0, 10)}
          {...propsOf("expiresAt")}
        />
      )}
    </Group>
  );
}
