import { Button, Group } from "@mantine/core";

/** The buttons below the form of a dialog: one leaves it, and the other submits it. */
export function FormButtons({ cancel, submit, isPending }: {
  cancel: () => void;
  /** Label of the button that submits. */
  submit: string;
  isPending: boolean;
}) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={cancel}>Cancel</Button>
      <Button type="submit" loading={isPending}>{submit}</Button>
    </Group>
  );
}
