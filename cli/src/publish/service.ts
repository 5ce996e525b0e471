import type { Service } from "../../../publisher/ports.ts";
import type { Client } from "../client.ts";

const names = {
  "GET /projects/:slug": "getProject",
  "GET /projects/:slug/releases": "listReleases",
  "GET /projects/:slug/releases/:id/changes": "compareRelease",
} as const;

/** The API for the publisher. @param tries as of a call */
export function serviceOf(client: Client, tries?: { readonly tries: 1 }): Service {
  const call = (line: keyof typeof names, { params }: { params: { slug: string; id?: string } }) =>
    client.call(names[line], { params: params as { slug: string; id: string }, ...tries });
  return { call: call as Service["call"] };
}
