import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { TbKey, TbPlus } from "react-icons/tb";
import { useQuery } from "@tanstack/react-query";
import type { TokenView } from "../../../../interface/tokens.ts";
import { request } from "../../api.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { useMay } from "../../session.tsx";
import { NewToken } from "./new_token.tsx";
import { TokenTable } from "./token_table.tsx";

/** The account's access tokens. */
export default function Tokens() {
  const isOwner = useMay("owner");
  const [isOpen, { open, close }] = useDisclosure();
  const { data, error, refetch } = useQuery({
    queryKey: ["tokens"],
    queryFn: ({ signal }) => request<TokenView[]>("/tokens", { signal }),
  });
  const button = (
    <Button leftSection={<TbPlus size={16} />} onClick={open} disabled={!isOwner}>
      Generate new token
    </Button>
  );
  const isEmpty = data?.length === 0;
  return (
    <Page
      title="Tokens"
      about={isOwner
        ? "Programs send a token with every request. Create one token per program, with only the permissions it needs."
        : "Programs send a token with every request. Owners of the account generate and revoke tokens."}
      actions={!isEmpty && isOwner && button}
    >
      {error !== null && data === undefined && (
        <Failed
          error={error}
          retry={() => void refetch()}
        />
      )}
      {error === null && data === undefined && <Waiting label="Loading tokens" />}
      {isEmpty && (
        <Empty icon={TbKey} title="No tokens yet" action={isOwner && button}>
          {isOwner
            ? "Generate one to send messages from a program, or to render templates."
            : "An owner of the account can generate one."}
        </Empty>
      )}
      {data !== undefined && !isEmpty && <TokenTable tokens={data} mayRevoke={isOwner} />}
      <NewToken isOpen={isOpen} close={close} />
    </Page>
  );
}
