import { Button, Group, Stack, Text } from "@mantine/core";
import { useClickOutside } from "@mantine/hooks";
import { useState } from "react";
import { Link } from "wouter";
import { countText } from "../../../parts/count_text.ts";
import { useMay } from "../../../session.tsx";
import { useTouched } from "../../partials/partial_queries.ts";

/** Says in which partial a text is, and leads to its editor. */
export function PartialNote(props: { name: string; onClose: () => void }) {
  const { onClose } = props;
  // While the preview is made anew, it does not know the name.
  const [name] = useState(props.name);
  const { data } = useTouched(name);
  const mayEdit = useMay("editor");
  const mayLook = useMay("viewer");
  const area = useClickOutside(onClose);
  const users = data === undefined
    ? ""
    : `, used by ${countText(data.length, "published template", "published templates")}`;
  return (
    <Stack
      gap="xs"
      ref={area}
      onKeyDown={({ key }) => {
        if (key === "Escape") onClose();
      }}
    >
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        This text is in the partial “{name}”{users}.
        {!mayLook && " Ask an editor to change it."}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button size="compact-sm" variant="default" onClick={onClose} data-autofocus>Close</Button>
        {mayLook && (
          <Button size="compact-sm" component={Link} href={`~/partials/${name}`}>
            {mayEdit ? "Edit the partial" : "Open the partial"}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
