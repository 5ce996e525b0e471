import { limits } from "../../../contract/api/limits.ts";
import type { Refused } from "../../../publisher/refused.ts";
import { UserError } from "../errors.ts";
import { humanBytes } from "../text.ts";

/** What the publisher refuses, in the command line's words. */
export function explainRefusal({ code, bytes }: Refused, folder: string): UserError {
  return new UserError(
    `The list of files of ${folder} has ${humanBytes(bytes)}; the limit for a request is ${humanBytes(limits.manifestBodyBytes)}. Nothing was sent.`,
    { code, next: "Shorten the paths, or pack small files together." },
  );
}
