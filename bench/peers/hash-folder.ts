import { readFolder } from "../../cli/src/publish/folder.ts";
import { hashAll } from "../../cli/src/publish/hash.ts";

/* What `svc publish` does before its first request to a folder that it has never seen; bench/areas/hashing.ts runs it. */
const { files } = readFolder(process.argv[2] ?? "", () => "publish");
const nothingKnown = { get: () => undefined, save: () => undefined };
const progress = { start: () => undefined, add: () => undefined, end: () => undefined };
const { signal } = new AbortController();
void hashAll(files, { cache: nothingKnown, progress, signal, now: Date.now() }).then((hashed) =>
  console.log(hashed.map(({ path, sha256 }) => `${sha256}  ${path}`).join("\n")),
);
