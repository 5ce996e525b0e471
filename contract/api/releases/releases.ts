import * as z from "zod/mini";
import { olderFileHeader } from "../headers.ts";
import { limits } from "../limits.ts";
import {
  byAdminsInPerson,
  byPeople,
  byPeopleAndJobs,
  byPublishers,
  byPublishersAndJobs,
  edge,
  endedSchedule,
  slugParams,
} from "../projects/projects.ts";
import { about, defineRoute, expectCurrent, nextCursor, pageQuery, pagesUpTo, pathParameter, text } from "../route.ts";
import { frame, isolation, manifest, manifestPath, releaseSettings, updates } from "./manifest.ts";
import { pictureProblem } from "./pictures.ts";
import { release, returningPlayers, settingName, source, uploadUrls } from "./release.ts";

export const releaseParams = z.extend(slugParams, {
  id: about("The release's id.", pathParameter, "00VbbL3M8vSKHg8rDkhym8"),
});

const pathChanges = z.strictObject({
  count: about("How many paths.", z.int(), 1),
  paths: about(`The first ${limits.changedPathsListed.toLocaleString("en")} of them.`, z.array(z.string()), [
    "game.js",
  ]),
});

const comparedSettings = z.strictObject({
  isolation: about("Whether COOP and COEP are sent.", isolation),
  immutable: about("Patterns of the paths that browsers keep.", z.array(z.string()), ["assets/**"]),
  spa: about("Whether pages without a file get `/index.html`.", z.boolean()),
  frame: about("Who may show the game in a frame.", frame, ["https://portal.example"]),
  preload: about("Paths of files that browsers load with each page.", z.array(z.string()), ["index.wasm"]),
  updates: about("Whether large files are loaded from URLs that name their content.", updates, "content"),
});

const releaseChanges = {
  current_release: about(
    "The id of the live release that it is compared with; null if nothing is live.",
    z.nullable(z.string()),
    "00VbWvHSyQF4umoBzMMQnh",
  ),
  added: about("Paths that the live release does not have.", pathChanges),
  changed: about("Paths whose files have other bytes.", pathChanges),
  removed: about("Paths that only the live release has.", pathChanges),
  unchanged: about(
    "Paths whose files stay as they are.",
    z.strictObject({ count: about("How many paths.", z.int(), 1) }),
  ),
  settings: about("How its files would be sent.", comparedSettings),
  changed_settings: about("The settings that differ from those of the live release.", z.array(settingName), []),
};

const chosenPath = text(limits.chosenPathLength).check(z.minLength(1, "must not be empty"));

/** Choices of whoever published, which neither the files nor the settings say. */
const choices = z.strictObject({
  left_out: about(
    "Paths that are not published though the folder has them; a folder ends with a slash.",
    z.optional(
      z.array(chosenPath).check(z.maxLength(limits.leftOutPaths, `must have at most ${limits.leftOutPaths} paths`)),
    ),
    ["notes/"],
  ),
  index: about("The file that is published as index.html.", z.optional(chosenPath), "My Story.html"),
  picture: about("Whether `picture` was chosen for it, and is no file of the folder.", z.optional(z.boolean()), true),
  isolation_off: about("Whether isolation is off though the build seems to need it.", z.optional(z.boolean()), false),
});

const keptChoices = z.strictObject({
  left_out: about("Paths that were left out.", z.array(z.string()), ["notes/"]),
  index: about("The file that was published as index.html.", z.nullable(z.string()), null),
  picture: about(
    "The picture that was chosen: the next release can name it without sending it.",
    z.nullable(
      z.strictObject({
        path: about("Its path.", z.string(), "cover.png"),
        size: about("Bytes.", z.int(), 84_302),
        sha256: about("The SHA-256.", z.string(), "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb"),
      }),
    ),
  ),
  isolation_off: about("As in the request.", z.boolean(), false),
});

const openedRelease = z.strictObject({
  release: about("Null for a dry run that would open a new release.", z.nullable(release)),
  ...releaseChanges,
  missing: about("Hashes whose bytes the service does not have yet, variants too, each once.", z.array(z.string()), [
    "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
  ]),
  bytes_to_send: about("How many bytes these are.", z.int(), 84_302),
  first_uploads: about(
    `Upload URLs of the first ${limits.firstUploadUrls} of \`missing\`, as \`POST …/uploads\` responds with, so that uploading begins at once. Null if this request opened no release, or nothing is missing.`,
    z.nullable(uploadUrls),
  ),
  indexes: about(
    `Files of the live release of which parts may be copied (\`copies\` of the request that sends a file in parts), with a URL of the index of each: the ${limits.indexesListed} largest, if a file above 16 MiB is missing.`,
    z.array(
      z.strictObject({
        sha256: about(
          "The file, or a variant.",
          z.string(),
          "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
        ),
        size: about("Its bytes.", z.int(), 104_857_600),
        url: about(
          "Where its index is, by GET and without Authorization, for 15 minutes.",
          z.string(),
          "https://bucket.example/projects/star-hopper/6ac1a1b3…?X-Amz-Signature=…",
        ),
      }),
    ),
  ),
  older_files: about(
    `Only of a dry run: files of the live release, then of the two that were live before it, from which deltas of files of this one can be made. Of each release the largest come first; at most ${limits.olderFilesListed}.`,
    z.array(
      z.strictObject({
        path: about("The path of the file of this release.", z.string(), "game.pck"),
        sha256: about(
          "The older file.",
          z.string(),
          "6ac1a1b3bd2c9e2b7e2d4d1a0b5e0c2c4d2a91bb0d4ac8c3f4b3fd1a3be1c7a0",
        ),
        size: about("Its bytes.", z.int(), 41_943_040),
        is_live: about("Whether it is of the live release.", z.boolean(), true),
        url: about(
          `Where it is, by GET with the header \`${olderFileHeader}: 1\` and without Authorization, for 15 minutes.`,
          z.string(),
          "https://bucket.example/projects/star-hopper/6ac1a1b3…?X-Amz-Signature=…",
        ),
      }),
    ),
  ),
  returning_players: about(
    "What players load who have the live release, once this one is live: of files that are new or have other bytes, deltas and else Brotli. Null if deltas save nothing. Also of a dry run.",
    returningPlayers,
  ),
});

export const createRelease = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases",
  summary: "Open a release from its manifest, or find the open or live one that has the same manifest",
  tag: "Releases",
  ...byPublishersAndJobs,
  scope: "preview",
  idempotencyKey: true,
  personMakesLive: "free",
  params: slugParams,
  manifestBody: true,
  body: z
    .strictObject({
      files: about(
        "All files of the release. No two paths differ only in upper and lower case, and no file has the path of a folder.",
        z.optional(manifest),
        [
          {
            path: "index.html",
            size: 1_204,
            sha256: "0eb547304658805aad788d320f10bf1f292797b5e6d745a3bf617584da017051",
          },
          {
            path: "cover.png",
            size: 84_302,
            sha256: "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
          },
        ],
      ),
      files_of: about(
        "In place of `files`: the id of the live release, whose files this one has, with other settings. Nothing is sent, and what is said of the files stays. It is refused once another release is live.",
        z.optional(pathParameter),
      ),
      settings: about(
        "Part of what the release is: the same files with other settings are another release.",
        z.optional(releaseSettings),
      ),
      message: about(
        "What the publisher says of it. An open release that is found again gets that of this call; a live one keeps its own.",
        z.optional(text(limits.releaseMessageLength)),
        "Second world",
      ),
      source: about("Where the files were made. It is kept as `message` is.", z.optional(source)),
      picture: about(
        "The path of the picture that lists show of the game: one of the files, with the name of an image and at most 2 MiB. It is kept as `message` is.",
        z.optional(manifestPath),
        "cover.png",
      ),
      choices: about(
        "What whoever publishes has chosen, for the next publication to begin with. It is kept as `message` is.",
        z.optional(choices),
      ),
      expect_current: expectCurrent,
      dry_run: about("Compare and check only: nothing is opened.", z.optional(z.boolean())),
    })
    .check(({ value, issues }) => {
      const { files, picture } = value;
      const refuse = (name: keyof typeof value, message: string) => {
        issues.push({ code: "custom", input: undefined, path: [name], message });
      };
      if (value.files_of !== undefined) {
        for (const name of ["files", "source", "picture", "choices"] as const)
          if (value[name] !== undefined) refuse(name, "must be left out beside files_of, which decides it");
      } else if (files === undefined) refuse("files", "must be given, or files_of");
      else {
        const problem = picture === undefined ? undefined : pictureProblem(files, picture);
        if (problem !== undefined) refuse("picture", problem);
      }
    }),
  responses: { 200: openedRelease, 201: openedRelease },
  errors: [
    "current_release_changed",
    "files_being_deleted",
    "open_release_limit_reached",
    "quota_exceeded",
    "release_withdrawn",
  ],
});

const publication = {
  release: about("The release: it is live now, or, with 202, waits.", release),
  previous_release: about(
    "The id of the release that was live before; null if there was none, and with 202.",
    z.nullable(z.string()),
    "00VbWvHSyQF4umoBzMMQnh",
  ),
  review_url: about(
    "With 202: the page of the release, on which a person sees what would change and makes it live; null if the stage has none, and with 200.",
    z.nullable(z.string()),
    null,
  ),
  ended_schedule: endedSchedule,
  edge,
};

export const publishRelease = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases/:id/publish",
  summary: "Make a release live in one step, an earlier one too",
  details:
    "If a person makes live in the project (`person_makes_live`), the release of a token or CI job waits for that (202), and nothing changes for players; only a person who has just signed in makes an earlier one live.",
  tag: "Releases",
  ...byPublishersAndJobs,
  scope: "publish",
  personMakesLive: "waits",
  params: releaseParams,
  body: z.strictObject({
    expect_current: expectCurrent,
    replace_later_run: about(
      "From a CI job: make the release live even if a later run of the repository has made the live one so, unless the publisher forbids that (`only_latest_run`).",
      z.optional(z.boolean()),
    ),
  }),
  bodyOptional: true,
  responses: { 200: z.strictObject(publication), 202: z.strictObject(publication) },
  errors: [
    "release_not_found",
    "release_incomplete",
    "copies_differ",
    "current_release_changed",
    "later_run_live",
    "release_withdrawn",
  ],
});

export const withdrawRelease = defineRoute({
  method: "POST",
  path: "/projects/:slug/releases/:id/withdraw",
  summary: "Delete a release that is not live: also visits that began with it lose it, and it cannot go live again",
  details: "An open release, which was never live, expires at once; the same files can be opened again.",
  tag: "Releases",
  ...byAdminsInPerson,
  personMakesLive: "session",
  params: releaseParams,
  responses: { 200: z.extend(release, { edge }) },
  errors: ["release_not_found", "release_live"],
});

export const listReleases = defineRoute({
  method: "GET",
  otherMethods: ["POST"],
  path: "/projects/:slug/releases",
  summary: "The releases of one of the caller's projects, newest first",
  details:
    "With the scope `preview` alone, a caller sees the live one and those that it opened or found open; no other one is found.",
  tag: "Releases",
  ...byPeopleAndJobs,
  params: slugParams,
  query: pageQuery,
  responses: {
    200: z.strictObject({
      releases: about("A page of them.", z.array(release)),
      next_cursor: nextCursor,
    }),
  },
  errors: ["invalid_cursor"],
});

export const getRelease = defineRoute({
  method: "GET",
  otherMethods: ["PATCH"],
  path: "/projects/:slug/releases/:id",
  summary: "One release of one of the caller's projects",
  tag: "Releases",
  ...byPeopleAndJobs,
  params: releaseParams,
  responses: { 200: release },
  errors: ["release_not_found"],
});

export const updateRelease = defineRoute({
  method: "PATCH",
  path: "/projects/:slug/releases/:id",
  summary: "Edit what a release's publisher says of it",
  tag: "Releases",
  ...byPublishers,
  scope: "publish",
  personMakesLive: "session",
  params: releaseParams,
  body: z.strictObject({
    message: about(
      "What is new, for everybody; null: nothing.",
      z.nullable(text(limits.releaseMessageLength)),
      "Second world, and faster ships",
    ),
  }),
  responses: { 200: release },
  errors: ["release_not_found", "release_withdrawn"],
});

export const compareRelease = defineRoute({
  method: "GET",
  path: "/projects/:slug/releases/:id/changes",
  summary: "What visitors would see change if this release took the place of the live one",
  tag: "Releases",
  ...byPeopleAndJobs,
  params: releaseParams,
  query: z.strictObject({
    with: about(
      "`previous`: compare it with the release before it instead, which is what players got before it: of those that the project keeps, the one with the next lower number; of a release that was never live, the live one.",
      z._default(z.enum(["live", "previous"]), "live"),
    ),
  }),
  responses: {
    200: z.strictObject({
      ...releaseChanges,
      compared_with: about(
        "The id of the release that it is compared with, in place of the live one if `with` says so; null: with none.",
        z.nullable(z.string()),
        "00VbWvHSyQF4umoBzMMQnh",
      ),
      copies: about(
        "The Brotli copies and deltas that players may get in the place of files.",
        z.strictObject({
          checked: about("Whether the service has unpacked all of them. Until then none is sent.", z.boolean()),
          brotli: about("Paths with a Brotli copy that the live release does not have.", pathChanges),
          deltas: about("Paths with a delta that the live release does not have.", pathChanges),
          false: about(
            "Paths with a copy that does not unpack to the file, also if the live release has it. It is sent to nobody.",
            pathChanges,
          ),
        }),
      ),
      pictures: about(
        "Images of it that can be its project's `picture`, the fittest first; not all if there are many.",
        z.array(z.string()),
        ["cover.png"],
      ),
      choices: about(
        "What whoever published it had chosen; to a caller with the scope `preview` alone, only of the live release.",
        keptChoices,
      ),
      decided: about(
        "What a person has decided for the project, with which the next publication begins: settings and choices of the release that was last made live by a session. A token's or CI job's are not among them. `choices` as above.",
        z.strictObject({
          settings: about("How the files would be sent.", comparedSettings),
          choices: about("What the person had chosen; a picture only if this release has it.", keptChoices),
        }),
      ),
    }),
  },
  errors: ["release_not_found", "release_withdrawn"],
});

export const listFiles = defineRoute({
  method: "GET",
  path: "/projects/:slug/releases/:id/files",
  summary: "The files of a release, those of one folder or all, with URLs to download them",
  tag: "Releases",
  ...byPeople,
  scope: "publish",
  params: releaseParams,
  query: z.extend(pagesUpTo(limits.filesPerPage), {
    folder: about(
      "List this folder alone: its folders, and the files that lie in it. Empty: the folder that all is in. Left out: every file of the release, and no folder.",
      z.optional(z.string().check(z.maxLength(limits.pathBytes))),
      "assets/",
    ),
  }),
  responses: {
    200: z.strictObject({
      folders: about(
        "Folders of the folder, before its files.",
        z.array(
          z.strictObject({
            path: about("Its path, which ends with a slash.", z.string(), "assets/levels/"),
            files: about("How many files are in it, at any depth.", z.int(), 12),
            bytes: about("Their bytes.", z.int(), 497_596),
          }),
        ),
      ),
      files: about(
        "Files, in the order of their paths.",
        z.array(
          z.strictObject({
            path: about("Its path.", z.string(), "assets/cover.png"),
            size: about("Bytes.", z.int(), 84_302),
            sha256: about(
              "The SHA-256, as in the request that opened the release.",
              z.string(),
              "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb",
            ),
            url: about(
              `Where it is, by GET with the header \`${olderFileHeader}: 1\` and without Authorization, for 15 minutes. Null for a release that was never live, whose files may be missing, and while the project is suspended.`,
              z.nullable(z.string()),
              "https://bucket.example/projects/star-hopper/90096df0…?X-Amz-Signature=…",
            ),
          }),
        ),
      ),
      next_cursor: nextCursor,
    }),
  },
  errors: ["release_not_found", "release_withdrawn", "invalid_cursor"],
});

export const getFile = defineRoute({
  method: "GET",
  path: "/projects/:slug/files/*path",
  summary: "A file of the live release, or a redirect to its URL at the store or at the game's own origin",
  tag: "Releases",
  credential: "none",
  params: z.extend(slugParams, {
    path: about("The path of the file.", z.string().check(z.maxLength(2_048)), "index.html"),
  }),
  /** If the stage has a games' edge a redirect to it. Else the file itself if it refers to others by relative URL, or a redirect to its bytes. */
  responses: { 200: null, 302: null, 304: null },
  errors: ["file_not_found", "project_not_found", "project_taken_down"],
});
