import * as z from "zod/mini";
import { limits } from "../limits.ts";
import { about, httpsUrl, time } from "../route.ts";

/*
 * Fields of a release and of its uploads, for the routes about releases.
 */

/** Origin of the files: the commit, and the page of the CI job that built them. */
export const source = z.strictObject({
  commit: about(
    "The commit.",
    z.string().check(z.regex(/^[0-9a-f]{7,64}$/, "must be 7 to 64 lower-case hexadecimal digits")),
    "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
  ),
  run_url: about(
    "The page of the CI job.",
    z.optional(httpsUrl(limits.urlLength)),
    "https://github.com/ada/star-hopper/actions/runs/22259804324",
  ),
});

export const settingName = z.enum(["isolation", "immutable", "spa", "frame", "preload", "updates"]);

const provenance = z.strictObject({
  provider: about("Whose CI it was.", z.enum(["github", "gitlab"]), "github"),
  repository: about("The repository's name at that time.", z.string(), "ada/star-hopper"),
  repository_id: about("The repository's number.", z.string(), "512345678"),
  commit: about("The commit.", z.string(), "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88"),
  ref: about("The branch or tag.", z.string(), "refs/heads/main"),
  workflow: about("The path of the workflow file.", z.string(), ".github/workflows/publish.yml"),
  actor: about("The login of who started the run.", z.string(), "ada"),
  run_url: about("The page of the run.", z.string(), "https://github.com/ada/star-hopper/actions/runs/22259804324"),
});

const publisher = z.strictObject({
  uid: about("Who.", z.string(), "6f9b2c1e"),
  name: about("The public name, of the developer if it has one.", z.string(), "Ada's Games"),
  token: about(
    "With which token; null if it was done with an ID token, and to a CI job.",
    z.nullable(
      z.strictObject({
        id: about("Its id.", z.string(), "54W7V3bYSTCAkjKudrQ3c0"),
        name: about("Its name, which its owner alone sees.", z.nullable(z.string()), "CI"),
      }),
    ),
  ),
});

export const returningPlayers = z.nullable(
  z.strictObject({
    bytes: about("With deltas.", z.int(), 314_572),
    without_deltas: about("By a browser that takes none.", z.int(), 39_845_888),
  }),
);

export const release = z.strictObject({
  id: about("Ids sort by time.", z.string(), "00VbbL3M8vSKHg8rDkhym8"),
  number: about(
    "1 for the first release of the project that went live, 2 for the next one. Null if it was never live.",
    z.nullable(z.int()),
    7,
  ),
  status: about(
    "open: files may still be missing; live: what visitors see; published: was live once and can be again; withdrawn: cannot be again.",
    z.enum(["open", "live", "published", "withdrawn"]),
    "live",
  ),
  files: about("How many files it has.", z.int(), 3),
  bytes: about("How many bytes its files have.", z.int(), 497_596),
  created_at: about("When it was opened.", time),
  published_at: about(
    "When it went live last: a roll-back to it changes this. Null if it was never live.",
    z.nullable(time),
  ),
  expires_at: about("When an open release expires; null once published.", z.nullable(time), null),
  play_url: about(
    "Where it is played; null if it is not live.",
    z.nullable(z.string()),
    "https://star-hopper.games.example/",
  ),
  picture_url: about(
    "The picture of it, as of its project; null if it is not live.",
    z.nullable(z.string()),
    "https://star-hopper.games.example/cover.png",
  ),
  message: about("What its publisher says of it; null to a CI job.", z.nullable(z.string()), "Second world"),
  message_edited_at: about("When that was edited last; null: never.", z.nullable(time), null),
  changed_settings: about(
    "The settings in which it differs from the live release whose files it was made of; null if its files were sent.",
    z.nullable(z.array(settingName)),
    null,
  ),
  source: about(
    "Where its files were made.",
    z.nullable(
      z.strictObject({
        commit: about("The commit.", z.string(), "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88"),
        run_url: about(
          "The page of the CI job.",
          z.nullable(z.string()),
          "https://github.com/ada/star-hopper/actions/runs/22259804324",
        ),
      }),
    ),
  ),
  provenance: about(
    "Which run of a trusted publisher's workflow uploaded it, as the job's identity token said; null if it was a person or another token.",
    z.nullable(provenance),
    null,
  ),
  published_by: about(
    "Who made it live last, also if the person is no member any more; null if it was never live, and for a deleted account. Of a CI job only the owner sees it, and a job and the export see nobody else.",
    z.nullable(publisher),
  ),
  first_published_at: about("When it went live first, which no roll-back changes.", z.nullable(time)),
  first_published_by: about("Who made it live first, or null as there.", z.nullable(publisher)),
  waiting: about(
    "Set if a token or CI job has published it and a person decides whether it goes live (`person_makes_live` of the project); it is complete. Null once it was live.",
    z.nullable(
      z.strictObject({
        since: about("Since when.", time),
        by: about("Who published it, as `published_by`.", z.nullable(publisher)),
      }),
    ),
    null,
  ),
  schedule: about(
    "Set if it goes live by itself at a time.",
    z.nullable(
      z.strictObject({
        at: about("When, or at most a minute later.", time),
        by: about("Who scheduled it, as `published_by`.", z.nullable(publisher)),
      }),
    ),
    null,
  ),
  returning_players: about(
    "What players load who have the release that was live when this one was opened: of files that are new or have other bytes, deltas and else Brotli. Null if deltas save nothing.",
    returningPlayers,
  ),
  false_copies: about(
    "How many Brotli copies and deltas of it do not unpack to their files, as the service found out; `GET …/changes` names the files. Such copies are sent to nobody. 0 until its copies are checked, and in the export.",
    z.int(),
    0,
  ),
  withdrawn_at: about(
    "When its owner withdrew it. 90 days later, unless the stage has another number, it is not listed any more.",
    z.nullable(time),
    null,
  ),
});

/** URL and headers of an upload. */
export const uploadTarget = {
  url: about(
    "Where the bytes go by PUT.",
    z.string(),
    "https://bucket.example/projects/star-hopper/90096df0…?X-Amz-Signature=…",
  ),
  headers: about("The headers to send, exactly these.", z.record(z.string(), z.string()), {
    "content-length": "84302",
    "if-none-match": "*",
  }),
};

/** Response of `createUploads`. */
export const uploadUrls = z.strictObject({
  uploads: about(
    "One for each hash.",
    z.array(
      z.strictObject({
        sha256: about("The hash.", z.string(), "90096df085a22d3734b4eaf6ea3ec3395e0fb2c6418a262d84c1c567d10f48bb"),
        ...uploadTarget,
      }),
    ),
  ),
  expires_at: about("When the URLs expire.", time),
});
