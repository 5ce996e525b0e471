import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { byPublishersAndJobs } from "../projects/projects.ts";
import { about, defineRoute, pathParameter, time, wholeNumber } from "../route.ts";
import { fileHashes, hexDigest, maxParts, partHashes } from "./manifest.ts";
import { uploadTarget, uploadUrls } from "./release.ts";
import { releaseParams } from "./releases.ts";

export const createUploads = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases/:id/uploads",
  summary: "URLs to upload missing files to, each valid for exactly the bytes of its hash",
  details:
    "Then send each file to its URL by PUT, with exactly the headers beside it and without Authorization: the URL is the permission. " +
    "The store responds with 200, or with 412 if it has the file already. 403 says that the URL has expired: ask for another one. " +
    "409, 429, 500 and 503: send it again. 400: the bytes are not those of the hash.",
  tag: "Releases",
  ...byPublishersAndJobs,
  scope: "preview",
  personMakesLive: "free",
  params: releaseParams,
  body: z.strictObject({
    sha256: about("Hashes of the release's files.", fileHashes, [
      "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
    ]),
  }),
  responses: {
    200: uploadUrls,
  },
  errors: ["release_not_found", "release_withdrawn"],
});

export const unpackFiles = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases/:id/packs",
  summary: "Send small files as one pack: a URL for it, then, sent again, what is in it is stored",
  details:
    `A pack is \`svcpack1\`, then of each object its SHA-256 (32 bytes), its length (4, big-endian) and its bytes: at most ${limits.objectsPerPack} of at most 64 KiB. ` +
    "Of a file with a Brotli copy send the copy alone: the file is made of it. Send the pack to the URL by PUT, as a file, then this request again, at any time.",
  tag: "Releases",
  ...byPublishersAndJobs,
  scope: "preview",
  personMakesLive: "free",
  params: releaseParams,
  body: z.strictObject({
    slot: about("Which of the packs that are sent at a time it is.", wholeNumber(limits.packSlots - 1, 0), 0),
    size: about("The length of the pack.", wholeNumber(limits.bytesPerPack), 84_302),
    sha256: about(
      "The SHA-256 of the pack.",
      hexDigest,
      "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
    ),
  }),
  responses: {
    200: z.strictObject({
      unpacked: about("Whether what is in the pack is stored.", z.boolean()),
      upload: about("Where the pack goes; null if it is unpacked.", z.nullable(z.strictObject(uploadTarget))),
      expires_at: about("When the URL expires.", time),
    }),
  },
  errors: ["release_not_found", "release_withdrawn", "pack_refused"],
});

export const continueUpload = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases/:id/uploads/:sha256",
  summary: "Send a file above 16 MiB in parts, go on with it after an interruption, or complete it",
  details:
    "All parts have the same length, the last one what is left. The response has an upload URL for each part that the store lacks: send them by PUT " +
    "as other files, then send this request again, also if a URL gets 403, or 404 NoSuchUpload because the file is complete by now. " +
    "A part whose bytes the live release has in another file, at any place, need not be sent: name the place in `copies`. The store compares the " +
    "copy with the SHA-256 in `parts`; a part that is none gets an upload URL. " +
    "When no part is missing, it completes the file. It can be sent at any time: what is " +
    "stored of a file is kept for at least a day.",
  tag: "Releases",
  ...byPublishersAndJobs,
  scope: "preview",
  personMakesLive: "free",
  params: z.extend(releaseParams, {
    sha256: about(
      "The name of the file in the manifest.",
      pathParameter,
      "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
    ),
  }),
  body: z.strictObject({
    parts: about("The SHA-256 of each part, in their order.", partHashes, [
      "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
      "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
    ]),
    bytes_per_part: about(
      "How many bytes each part has but the last; 16 MiB if it is left out. svc sends 5 MiB: the parts give the file its name, so who sends others stores the file again.",
      z.optional(wholeNumber(limits.maxBytesPerPart, limits.bytesPerPart)),
      limits.bytesPerPart,
    ),
    copies: about(
      "Parts whose bytes are in files of the live release, or of this one, that have more than 5 MiB. Those that are stored already are left alone.",
      z.optional(
        z
          .array(
            z.strictObject({
              number: about("The number of the part; the first is 1.", wholeNumber(maxParts), 2),
              sha256: about(
                "The name of the file that has its bytes.",
                hexDigest,
                "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
              ),
              offset: about(
                "The offset of the part in that file, in bytes.",
                wholeNumber(limits.bytesPerFile, 0),
                5_242_880,
              ),
            }),
          )
          .check(z.maxLength(limits.copiesPerCall, `must name at most ${limits.copiesPerCall} parts`)),
      ),
    ),
  }),
  responses: {
    200: z.strictObject({
      stored: about("Whether the file is complete.", z.boolean()),
      parts: about(
        "One for each part that is missing.",
        z.array(
          z.strictObject({
            number: about("The number of the part; the first is 1.", z.int(), 5),
            ...uploadTarget,
          }),
        ),
      ),
      expires_at: about("When the URLs expire.", time),
    }),
  },
  errors: ["release_not_found", "release_withdrawn"],
});
