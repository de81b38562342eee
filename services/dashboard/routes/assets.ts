import {
  assetChangeSchema,
  assetNameSchema,
  assetQuerySchema,
  contentTypeSchema,
  isBlockedFile,
  MAX_ASSETS,
  MAX_FILE_BYTES,
} from "@posthaste/contracts";
import { IMAGE_HEADERS } from "@posthaste/http";
import type { AssetName } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Actor } from "../actor.ts";
import { putAsset } from "../assets/put_asset.ts";
import { audit } from "../audit.ts";
import { HttpError } from "../http_error.ts";
import type { AssetDetail, AssetList, AssetView } from "../interface/assets.ts";
import { QUOTAS } from "../quotas.ts";
import { readInput } from "../read_input.ts";
import type { Routing } from "../routing.ts";
import { requireUnlimited } from "../token_limits.ts";

const scopes = ["manage:templates"] as const;
/** Previews show images. */
const FOR_TEXTS = { config: { role: "texts", scopes } } as const;
const VIEWER = { config: { role: "viewer", scopes } } as const;
const EDITOR = { config: { role: "editor", scopes } } as const;
const FILE = {
  config: { role: "editor", scopes, isHeavy: true, takesFiles: true },
  bodyLimit: MAX_FILE_BYTES,
} as const;

const NAME = z.object({ name: assetNameSchema });

/** Adds the routes of the files that an account keeps, which templates and requests name. */
export function assetRoutes(app: FastifyInstance, { deps, options, uploads }: Routing): void {
  const { store, now } = deps;
  const maxBytes = (options.quotas ?? QUOTAS).assetBytes;

  async function find({ accountId }: Actor, params: unknown): Promise<AssetName> {
    const { name } = readInput(NAME, params);
    const found = await store.assets.findName(accountId, name);
    if (found === null) throw new HttpError("not_found", `There is no file "${name}"`);
    return found;
  }

  async function note(actor: Actor, verb: string, { name, size, contentType }: AssetName) {
    const details = { type: contentType, bytes: size };
    await audit({ ...store, now }, actor, {
      ...{ action: `asset.${verb}`, target: `file ${name}`, details },
    });
  }

  app.get("/api/assets", VIEWER, async ({ actor: { accountId } }): Promise<AssetList> => {
    const found = await store.assets.listNames(accountId, { limit: MAX_ASSETS });
    const bytes = found.reduce((sum, { size }) => sum + size, 0);
    return { assets: found.map(viewOf), bytes, maxBytes };
  });

  app.get("/api/assets/:name", VIEWER, async ({ actor, params }): Promise<AssetDetail> => {
    const asset = await find(actor, params);
    const usedBy = await store.assets.usersOfName(actor.accountId, asset.name);
    return { ...viewOf(asset), usedBy };
  });

  app.get("/api/assets/:name/content", FOR_TEXTS, async ({ actor, params }, reply) => {
    const { sha256, filename, contentType } = await find(actor, params);
    const bytes = await store.assets.find(actor.accountId, sha256);
    if (bytes === null) throw new HttpError("not_found", "The file is not stored any more");
    const disposition = contentType.startsWith("image/") ? "inline" : "attachment";
    const name = encodeURIComponent(filename);
    return reply.headers(IMAGE_HEADERS).type(contentType)
      .header("content-disposition", `${disposition}; filename*=UTF-8''${name}`)
      .send(Buffer.from(bytes));
  });

  app.put(
    "/api/assets/:name",
    FILE,
    async ({ actor, params, query, body, headers }): Promise<AssetView> => {
      const { name } = readInput(NAME, params);
      // Browsers name their account in the query of addresses that they open themselves.
      const { account: _, ...given } = query as Record<string, unknown>;
      const said = readInput(assetQuerySchema, given);
      if (!Buffer.isBuffer(body)) throw new HttpError("invalid_request", NO_FILE);
      requireUnlimited(actor, "templates");
      const contentType = readInput(TYPE, { contentType: headers["content-type"] }).contentType;
      const wish = { accountId: actor.accountId, name, body, contentType, ...said };
      const asset = await putAsset(wish, { store, maxBytes, uploads, now });
      await note(actor, "stored", asset);
      return viewOf(asset);
    },
  );

  app.patch("/api/assets/:name", EDITOR, async ({ actor, params, body }): Promise<AssetView> => {
    const changes = readInput(assetChangeSchema, body);
    const { name } = await find(actor, params);
    requireUnlimited(actor, "templates");
    if (changes.filename !== undefined && isBlockedFile(changes.filename)) {
      throw new HttpError("invalid_request", "The file has an ending that mail servers refuse");
    }
    const { alt, filename } = changes;
    const changed = await store.assets.describeName(actor.accountId, name, {
      ...(alt === undefined ? {} : { alt }),
      ...(filename === undefined ? {} : { filename }),
      updatedAt: now(),
    });
    if (changed === null) throw new HttpError("not_found", `There is no file "${name}"`);
    await note(actor, "described", changed);
    return viewOf(changed);
  });

  app.delete("/api/assets/:name", EDITOR, async ({ actor, params }) => {
    const asset = await find(actor, params);
    requireUnlimited(actor, "templates");
    await store.assets.removeName(actor.accountId, asset.name);
    await note(actor, "removed", asset);
    return {};
  });
}

const TYPE = z.object({ contentType: contentTypeSchema.prefault("application/octet-stream") });

const NO_FILE = "The body must be the bytes of a file, with its type as Content-Type; " +
  "JSON is not accepted";

function viewOf(asset: AssetName): AssetView {
  const { name, filename, contentType, size, sha256, updatedAt } = asset;
  const { alt = "", width = null, height = null } = asset;
  return {
    ...{ name, filename, contentType, size, sha256, alt, width, height },
    updatedAt: updatedAt.toISOString(),
  };
}
