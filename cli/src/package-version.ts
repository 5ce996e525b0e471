import manifest from "../package.json" with { type: "json" };

export const packageVersion = manifest.version;
