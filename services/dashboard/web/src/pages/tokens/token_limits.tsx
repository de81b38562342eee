import { Button, Collapse, MultiSelect, Stack, TagsInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { TbChevronDown, TbChevronRight } from "react-icons/tb";
import { useIntegrations } from "../integrations/integration_queries.ts";
import { useTemplates } from "../templates/template_queries.ts";

/** Asks for a token's limits beside its scopes: folded, since most tokens have none. */
export function TokenLimits({ propsOf }: { propsOf: (path: string) => object }) {
  const [isOpen, { toggle }] = useDisclosure();
  const templates = useTemplates("email", { enabled: isOpen });
  const integrations = useIntegrations();
  return (
    <div>
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={isOpen ? <TbChevronDown size={16} /> : <TbChevronRight size={16} />}
        onClick={toggle}
        aria-expanded={isOpen}
      >
        Limit it further
      </Button>
      <Collapse expanded={isOpen}>
        <Stack gap="md" mt="sm">
          <TagsInput
            label="Only from these addresses"
            description="Addresses and networks of your servers, such as 203.0.113.7 or 2001:db8::/32. Empty: any address"
            splitChars={[",", " "]}
            acceptValueOnBlur
            {...propsOf("limits.addresses")}
          />
          <MultiSelect
            label="Only with these email templates"
            description="Empty: all email templates"
            searchable
            data={choicesOf(templates.data)}
            {...propsOf("limits.templates")}
          />
          <MultiSelect
            label="Only through these integrations"
            description="Empty: all integrations"
            searchable
            data={choicesOf(integrations.data)}
            {...propsOf("limits.integrations")}
          />
        </Stack>
      </Collapse>
    </div>
  );
}

function choicesOf(all: readonly { id: number; name: string }[] = []) {
  return all.map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }));
}
