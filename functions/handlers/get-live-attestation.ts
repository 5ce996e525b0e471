import * as contract from "../../contract/api/attestations.ts";
import { findLiveAttestation } from "../domain/attestations/attestations.ts";
import { envelopeView } from "../http/attestation-views.ts";
import { response } from "../http/response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.getLiveAttestation, async ({ params: { slug }, receivedAt }) =>
  response(200, envelopeView(await findLiveAttestation(slug, receivedAt))),
);
