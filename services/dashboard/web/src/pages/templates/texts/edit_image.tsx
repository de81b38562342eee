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
import { useRef, useState } from "react";
import { TbUpload } from "react-icons/tb";
import type { AssetView } from "../../../../../interface/assets.ts";
import { imageRanges, shownImage } from "../../../../../texts/image_ranges.ts";
import { lookOfImage, replaceImage } from "../../../../../texts/replace_image.ts";
import { showError } from "../../../parts/show_outcome.ts";
import { ImageDescriptions } from "../../files/describe_images.tsx";
import { useFiles, useUpload } from "../../files/file_queries.ts";
import { shownWidth } from "../../files/image_tag.ts";
import { Thumbnail } from "../../files/thumbnail.tsx";
import type { Draft } from "../use_draft.ts";
import type { EditTarget } from "./text_editing.ts";

/** Replaces an image of the preview by a stored or a new one. It asks for its description and width. */
export function EditImage({ target, draft, onClose }: {
  target: EditTarget;
  draft: Draft;
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
  const { html } = draft.source;
  const range = imageRanges(html)[target.number];
  const current = range && shownImage(html, range);
  const before = lookOfImage(html, target.number);
  const replace = ({ name, alt, width }: AssetView) => {
    const { width: full, height } = chosen ?? {};
    const ratio = full && height ? full / height : null;
    const isTheirs = before.alt === null && alt === "";
    const changed = { name, alt: isTheirs ? null : alt, width, ratio };
    draft.change({ html: replaceImage(html, target.number, changed) });
    onClose();
  };
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
      onKeyDown={({ key }) => {
        if (key === "Escape") onClose();
      }}
    >
      <Text size="sm" fw={600}>Replace this image</Text>
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
                        outline: image.name === current
                          ? "2px solid var(--mantine-primary-color-filled)"
                          : "none",
                        outlineOffset: -2,
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
                suggested={{
                  alt: suggestedAlt(chosen, { ...before, shown: current }),
                  width: before.width ?? shownWidth(chosen),
                }}
                submit="Replace"
                onDone={([image]) => image && replace(image)}
                onClose={onClose}
              />
            </div>
          </FocusTrap>
        )}
    </Stack>
  );
}

/** An image without a description of its own is likely the old one in another look. */
function suggestedAlt(
  { name, alt }: Pick<AssetView, "name" | "alt">,
  { alt: before, shown }: { alt: string | null; shown: string | undefined },
): string {
  return name === shown || alt === "" ? before ?? alt : alt;
}
