import type * as z from "zod/mini";
import type { Routes } from "../contract/api/routes.ts";

/* What the publisher asks of whoever uses it. */

type Responses<Name extends keyof Routes> = Routes[Name]["responses"];

/** The body of a route's success. */
export type ResponseBody<Name extends keyof Routes> = {
  [Status in Exclude<keyof Responses<Name>, 304>]: Responses<Name>[Status] extends z.core.$ZodType
    ? z.output<Responses<Name>[Status]>
    : undefined;
}[Exclude<keyof Responses<Name>, 304>];

/** The API. It throws what its client throws, with the API's code as `code`. */
export interface Service {
  call(line: "GET /projects/:slug", call: OfProject): Promise<ResponseBody<"getProject">>;
  call(line: "GET /projects/:slug/releases", call: OfProject): Promise<ResponseBody<"listReleases">>;
  call(line: "GET /projects/:slug/releases/:id/changes", call: OfRelease): Promise<ResponseBody<"compareRelease">>;
}

interface OfProject {
  readonly params: { readonly slug: string };
}

interface OfRelease {
  readonly params: { readonly slug: string; readonly id: string };
}
