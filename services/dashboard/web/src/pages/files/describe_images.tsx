import { Group, Modal, NumberInput, Stack, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { AssetView } from "../../../../interface/assets.ts";
import { request } from "../../api.ts";
import { FormButtons } from "../../parts/form_buttons.tsx";
import { showError } from "../../parts/show_outcome.ts";
import { shownWidth } from "./image_tag.ts";
import { Thumbnail } from "./thumbnail.tsx";

interface DescribeImagesProps {
  /** None: the dialog is closed. */
  images: readonly AssetView[];
  /** Whether it asks for the width, too, because the images are about to be inserted. */
  withWidth?: boolean;
  /** What the fields have at first, if it is not what is stored. */
  suggested?: { alt: string; width: number | null };
  /** @default {"Insert" with widths, else "Save"} */
  submit?: string;
  /** Called with the images as they are described, and as wide as wanted. */
  onDone: (images: AssetView[]) => void;
  onClose: () => void;
}

/** Asks for the descriptions of images that were just stored or chosen, and for their widths. */
export function DescribeImages(props: DescribeImagesProps) {
  const { images, withWidth = false, onClose } = props;
  const [first] = images;
  const verb = withWidth ? "Insert" : "Describe";
  const kind = withWidth ? "the image " : "";
  const title = images.length > 1
    ? `${verb} ${images.length} images`
    : `${verb} ${kind}${first?.name}`;
  return (
    <Modal opened={first !== undefined} onClose={onClose} title={title}>
      {first !== undefined && (
        <ImageDescriptions key={images.map(({ name }) => name).join()} {...props} />
      )}
    </Modal>
  );
}

/** The form of {@linkcode DescribeImages}. */
export function ImageDescriptions(
  { images, withWidth = false, suggested, submit, onDone, onClose }: DescribeImagesProps,
) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      images: images.map((image) => ({
        alt: suggested?.alt ?? image.alt,
        width: (suggested === undefined ? shownWidth(image) : suggested.width) ?? "",
      })),
    },
  });
  const save = async (values: typeof form.values) => {
    try {
      const described = await Promise.all(images.map(async (image, at) => {
        const { alt: written = "", width } = values.images[at] ?? {};
        const alt = written.replace(/\s+/g, " ").trim();
        if (alt !== image.alt) {
          await request(`/assets/${image.name}`, { method: "PATCH", body: { alt } });
        }
        return { ...image, alt, width: typeof width === "number" ? width : null };
      }));
      await client.invalidateQueries({ queryKey: ["assets"] });
      onDone(described);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <form onSubmit={form.onSubmit((values) => save(values))}>
      <Stack>
        {images.map((image, at) => (
          <Group key={image.name} align="flex-start" wrap="nowrap">
            <div style={{ width: 80, flexShrink: 0 }}>
              <Thumbnail file={image} height={60} />
            </div>
            <Stack gap="xs" flex={1} miw={0}>
              <Textarea
                label={images.length > 1 ? `Description of ${image.name}` : "Description"}
                description="For readers who do not see the image. Leave it empty for decoration."
                autosize
                maxLength={500}
                {...(at === 0 ? { "data-autofocus": true } : {})}
                {...form.getInputProps(`images.${at}.alt`)}
              />
              {withWidth && (
                <NumberInput
                  label={images.length > 1 ? `Width of ${image.name}` : "Width"}
                  description="In pixels. Most mails are 600 wide."
                  min={1}
                  max={2000}
                  allowDecimal={false}
                  {...form.getInputProps(`images.${at}.width`)}
                />
              )}
            </Stack>
          </Group>
        ))}
        <FormButtons
          cancel={onClose}
          submit={submit ?? (withWidth ? "Insert" : "Save")}
          isPending={form.submitting}
        />
      </Stack>
    </form>
  );
}
