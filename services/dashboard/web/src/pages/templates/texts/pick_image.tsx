import {
  Button,
  FocusTrap,
  Group,
  Loader,
  ScrollArea,
  SimpleGrid,
  Stack,
  Text,
  UnstyledButton,
} from "@mantine/core";
import { useClickOutside } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { TbUpload } from "react-icons/tb";
import type { AssetView } from "../../../../../interface/assets.ts";
import { showError } from "../../../parts/show_outcome.ts";
import { ImageDescriptions } from "../../files/describe_images.tsx";
import { useFiles, useUpload } from "../../files/file_queries.ts";
import { Thumbnail } from "../../files/thumbnail.tsx";

/** Asks for a stored or a new image, then for its description and width. */
export function PickImage({ title, submit, current, suggest, onPicked, onClose }: {
  title: string;
  /** What the button of the last step says. */
  submit: string;
  /** The name of the image that is shown now. */
  current?: string | undefined;
  /** Returns what the fields of an image have at first, if it is not what is stored. */
  suggest?: (image: AssetView) => { alt: string; width: number | null };
  /**
   * @param image As described, and as wide as wanted.
   * @param stored As it is stored.
   */
  onPicked: (image: AssetView, stored: AssetView) => void;
  onClose: () => void;
}) {
  const { data } = useFiles();
  const upload = useUpload();
  const input = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<AssetView | null>(null);
  const area = useClickOutside(() => {
    if (!isBusy) onClose();
  });
  // The trap of the panel finds nothing to focus while the images are loaded.
  useEffect(() => area.current?.focus(), [area]);
  const store = async (files: File[]) => {
    setBusy(true);
    try {
      const [stored] = await upload(files);
      if (stored !== undefined) setChosen(stored);
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const images = data?.assets.filter(({ contentType }) => contentType.startsWith("image/"));
  return (
    <Stack
      gap="xs"
      ref={area}
      tabIndex={-1}
      style={{ outline: "none" }}
      onKeyDown={({ key }) => {
        if (key === "Escape") onClose();
      }}
    >
      <Text size="sm" fw={600}>{title}</Text>
      {chosen === null
        ? (
          <>
            {images === undefined && <Loader size="sm" />}
            {images !== undefined && images.length > 0 && (
              <ScrollArea.Autosize mah={240}>
                <SimpleGrid cols={3} spacing="xs">
                  {images.map((image) => (
                    <UnstyledButton
                      key={image.name}
                      onClick={() => setChosen(image)}
                      aria-label={`Use ${image.name}`}
                      aria-current={image.name === current}
                      p={4}
                      style={{
                        borderRadius: "var(--mantine-radius-sm)",
                        // The outline shows the focus.
                        boxShadow: image.name === current
                          ? "inset 0 0 0 2px var(--mantine-primary-color-filled)"
                          : "none",
                      }}
                    >
                      <Thumbnail file={image} height={56} />
                      <Text size="xs" truncate mt={2}>{image.name}</Text>
                    </UnstyledButton>
                  ))}
                </SimpleGrid>
              </ScrollArea.Autosize>
            )}
            <input
              ref={input}
              type="file"
              accept="image/*"
              hidden
              aria-label="Image to upload"
              onChange={({ currentTarget }) => {
                const files = [...currentTarget.files ?? []].slice(0, 1);
                currentTarget.value = "";
                if (files.length > 0) void store(files);
              }}
            />
            <Group justify="space-between">
              <Button
                size="compact-sm"
                loading={isBusy}
                leftSection={<TbUpload size={14} />}
                onClick={() => input.current?.click()}
              >
                Upload an image
              </Button>
              <Button size="compact-sm" variant="default" onClick={onClose}>Cancel</Button>
            </Group>
          </>
        )
        : (
          <FocusTrap>
            <div>
              <ImageDescriptions
                images={[chosen]}
                withWidth
                {...(suggest === undefined ? {} : { suggested: suggest(chosen) })}
                submit={submit}
                onDone={([image]) => image && onPicked(image, chosen)}
                onClose={onClose}
              />
            </div>
          </FocusTrap>
        )}
    </Stack>
  );
}
