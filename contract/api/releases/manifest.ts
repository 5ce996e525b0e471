import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { about, listOf } from "../route.ts";
import { manifestProblems, pathPattern, pathProblem } from "./manifest-rules.ts";
import {
  frameOriginPattern,
  frameOriginProblem,
  immutablePattern,
  patternProblem,
  preloadProblem,
} from "./release-settings.ts";

/** Parts of the largest file, if they are as small as they may be. */
export const maxParts = Math.ceil(limits.bytesPerFile / limits.bytesPerPart);

export const hexDigest = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hexadecimal digits"));
const sha256 = about(
  "The SHA-256. Of a file above 16 MiB, sent in parts: the first 32 bytes of the SHA-512 of its parts' SHA-256s, one after the other.",
  hexDigest,
  "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
);

/** A text with a rule that the command line checks too, and what the API's documents say of it. */
// @__NO_SIDE_EFFECTS__
function ruled(problemOf: (value: string) => string | undefined, maxLength: number, pattern: RegExp) {
  return z.string().check(
    (payload) => {
      const problem = problemOf(payload.value);
      if (problem !== undefined) payload.issues.push({ code: "custom", input: payload.value, message: problem });
    },
    z.meta({ maxLength, pattern: pattern.source }),
  );
}

export const manifestPath = ruled(pathProblem, limits.pathBytes, pathPattern);

// @__NO_SIDE_EFFECTS__
function bytesUpTo(maximum: number) {
  return z
    .int("must be a whole number")
    .check(z.minimum(0, "must not be negative"), z.maximum(maximum, `must be at most ${maximum} bytes`));
}

const size = about("Bytes.", bytesUpTo(limits.bytesPerFile), 84_302);

const delta = z.strictObject({
  dictionary: about(
    "The SHA-256 of the older file's bytes, which a browser names in `Available-Dictionary`; also of a file that was sent in parts. Of a file whose name ends in `.br` that of what its Brotli unpacks to.",
    hexDigest,
    "6ac1a1b3bd2c9e2b7e2d4d1a0b5e0c2c4d2a91bb0d4ac8c3f4b3fd1a3be1c7a0",
  ),
  size,
  sha256,
});

const index = about(
  "An object that names the chunks of these bytes, by which the next publication finds what need not be sent: `svc1`, then of each chunk its length in three bytes and a checksum in four.",
  z.optional(
    z.strictObject({
      size: about("Its bytes.", bytesUpTo(limits.indexBytes), 11_764),
      sha256: about("Its SHA-256.", hexDigest, "6ac1a1b3bd2c9e2b7e2d4d1a0b5e0c2c4d2a91bb0d4ac8c3f4b3fd1a3be1c7a0"),
    }),
  ),
);

const manifestFile = z.strictObject({
  path: about("Relative, with `/` between folders, in Unicode normalisation form C.", manifestPath),
  size,
  sha256,
  br: about(
    "The same bytes in Brotli (RFC 7932): another object, sent to browsers that accept it.",
    z.optional(z.strictObject({ size, sha256, index })),
  ),
  index,
  deltas: about(
    "The same bytes for browsers that have an older file: other objects in the form `dcz` of RFC 9842, which is 8 magic bytes, the dictionary's SHA-256 and Zstandard. Each is smaller than half of the Brotli variant, or of the file if that has none. Of a file whose name ends in `.br`, and that is not sent as it is, they give what its Brotli unpacks to; one in `.gz` has none.",
    z.optional(z.array(delta).check(z.maxLength(limits.deltasPerFile, `must be at most ${limits.deltasPerFile}`))),
  ),
  encoding: about(
    "Sent without Content-Encoding, though the name ends in `.br` or `.gz`: the game unpacks it, or it is not compressed.",
    z.optional(z.literal("identity")),
  ),
});

/** The files of a release. No two paths differ only in upper and lower case, and no file has the path of a folder. */
export const manifest = listOf(manifestFile, limits.filesPerRelease, "file").check((payload) => {
  for (const { index, field, detail } of manifestProblems(payload.value))
    payload.issues.push({ code: "custom", input: undefined, path: [index, field], message: detail });
});

const immutablePaths = ruled(patternProblem, limits.immutablePatternLength, immutablePattern);
const preloadedPath = ruled(preloadProblem, limits.preloadPathLength, pathPattern);

export const isolation = z.union([z.boolean(), z.literal("credentialless")], 'must be true, false or "credentialless"');

const frameOrigin = z
  .string()
  .check(z.meta({ maxLength: limits.frameOriginLength, pattern: frameOriginPattern.source }));

/** Checked outside of the union, which would say of an origin only that it is none of its kinds. */
export const frame = z
  .union(
    [z.enum(["everybody", "nobody"]), z.array(frameOrigin).check(z.meta({ maxItems: limits.frameOrigins }))],
    'must be "everybody", "nobody" or a list of origins',
  )
  .check((payload) => {
    if (typeof payload.value === "string") return;
    if (payload.value.length > limits.frameOrigins)
      payload.issues.push({
        code: "custom",
        input: undefined,
        message: `must have at most ${limits.frameOrigins} origins`,
      });
    for (const [index, origin] of payload.value.slice(0, limits.frameOrigins).entries()) {
      const message = frameOriginProblem(origin);
      if (message !== undefined) payload.issues.push({ code: "custom", input: undefined, path: [index], message });
    }
  });

export const updates = z.enum(["content", "whole"], 'must be "content" or "whole"');

/** Settings of a release: they decide how its files are sent (contract/api/releases/release-settings.ts). */
export const releaseSettings = z.strictObject({
  isolation: about("Sends COOP and COEP, which threads need; false if it is left out.", z.optional(isolation)),
  immutable: about(
    "Patterns of the paths whose files browsers may keep without asking again.",
    z.optional(
      z
        .array(immutablePaths)
        .check(z.maxLength(limits.immutablePatterns, `must have at most ${limits.immutablePatterns} patterns`)),
    ),
    ["assets/**"],
  ),
  spa: about(
    "Pages without a file get `/index.html` with status 200; false if it is left out.",
    z.optional(z.boolean()),
  ),
  frame: about(
    "Who may show the game in a frame, by `frame-ancestors`: `everybody`, as if it is left out; `nobody` but the game itself; or the game itself and these origins, which may begin with `https://*.`.",
    z.optional(frame),
    ["https://portal.example"],
  ),
  preload: about(
    "Paths of files that browsers load as soon as they get a page's headers, by `Link`. A path without a file is not sent.",
    z.optional(
      z
        .array(preloadedPath)
        .check(z.maxLength(limits.preloadedFiles, `must have at most ${limits.preloadedFiles} paths`)),
    ),
    ["index.wasm"],
  ),
  updates: about(
    "`content`, as if it is left out: large files are loaded from URLs that name their content, so browsers keep them and load what has changed. `whole`: each file is loaded from its own URL.",
    z.optional(updates),
    "content",
  ),
});

/** The SHA-256 of each part of a file, in their order. */
export const partHashes = z
  .array(hexDigest)
  .check(z.minLength(2, "must name at least two parts"), z.maxLength(maxParts, `must name at most ${maxParts} parts`));

export const fileHashes = listOf(sha256, limits.uploadUrlsPerCall, "file");
