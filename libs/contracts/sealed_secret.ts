import { z } from "zod";

/** A secret under AES-256-GCM; all texts are base64. */
export const sealedSecretSchema = z.object({
  /** Id of the master key that opens it. */
  keyId: z.string(),
  /** X25519, generated for this secret. Without it, the master key itself wraps the secret's own key. */
  ephemeralKey: z.string().optional(),
  wrappedKey: z.string(),
  nonce: z.string(),
  ciphertext: z.string(),
});

/** A secret under AES-256-GCM. */
export type SealedSecret = z.infer<typeof sealedSecretSchema>;
