import * as contract from "../../contract/api/attestations.ts";
import { respondWithKeys } from "../http/attestation-keys.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.getAttestationKeys, async ({ headers }) => await respondWithKeys(headers));
