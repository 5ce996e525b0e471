import { readPublicKeys } from "../signing/kms.ts";
import { keysView } from "./attestation-views.ts";
import { documentResponses } from "./document-response.ts";

type Respond = ReturnType<typeof documentResponses>;

/** What a warm function keeps: only a deployment changes the keys. */
let respond: Respond | undefined;

/**
 * The response with the public keys of attestations.
 *
 * @throws as {@link readPublicKeys}
 */
export async function respondWithKeys(headers: Parameters<Respond>[0]): Promise<ReturnType<Respond>> {
  respond ??= documentResponses(keysView(await readPublicKeys()));
  return respond(headers);
}
