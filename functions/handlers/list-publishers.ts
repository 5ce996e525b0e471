import * as contract from "../../contract/api/projects/publishers.ts";
import { showPublishers } from "../domain/publishers/publishers.ts";
import { publisherView } from "../http/publisher-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listPublishers, async ({ caller: { project } }) =>
  response(200, { publishers: (await showPublishers(project, project.publishers ?? [])).map(publisherView) }),
);
