import { createHash } from "node:crypto";
import type { HashFunctions } from "./content-hash.ts";

/** Node's hash functions. */
export const nodeHashes: HashFunctions = {
  sha256: () => {
    const hash = createHash("sha256");
    return { update: (chunk) => hash.update(chunk), digest: () => hash.digest("hex") };
  },
  sha512: (bytes) => createHash("sha512").update(bytes).digest("hex"),
};
