import * as contract from "../../contract/api/attestations.ts";
import { findAttestation } from "../domain/attestations/attestations.ts";
import { envelopeView } from "../http/attestation-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.getAttestation, async ({ caller: { project }, params: { id }, receivedAt }) =>
  response(200, envelopeView(await findAttestation(project, id, receivedAt))),
);
