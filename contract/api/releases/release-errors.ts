import { limits } from "../limits.ts";

/** The errors of a change to a release or a preview that its state does not allow. */
export const releaseErrors = {
  release_incomplete: {
    status: 409,
    title: "Release incomplete",
    detail: "Files of this release are not uploaded yet. Upload them, then publish again.",
  },
  copies_differ: {
    status: 409,
    title: "Copies differ",
    detail:
      "A Brotli copy or a delta of this release does not unpack to its file. Make the copies again, then publish.",
  },
  pack_refused: {
    status: 422,
    title: "Pack refused",
    detail: "The pack is not made of files of this release, and nothing of it was written. Send its files one by one.",
  },
  release_live: {
    status: 409,
    title: "Release live",
    detail: "A live release cannot be deleted. Make another one live first.",
  },
  preview_not_found: {
    status: 404,
    title: "Preview not found",
    detail: "The project has no such preview. It may have expired, or its release may have gone live.",
  },
  preview_of_another: {
    status: 403,
    title: "Preview of another",
    detail:
      "Somebody else has opened this preview, and the scope preview reaches only one's own (of a CI job: those of its branch). Choose another name, or use a credential that may publish.",
  },
  too_many_previews: {
    status: 409,
    title: "Too many previews",
    detail: `A project has at most ${limits.previewsPerProject} previews. End one, or make one of these releases live.`,
  },
  schedule_invalid: {
    status: 422,
    title: "Schedule invalid",
    detail: `A release is scheduled for a whole minute in the next ${limits.maxScheduleDays} days, in which the token that schedules it must not expire.`,
  },
  later_run_live: {
    status: 409,
    title: "Later run live",
    detail:
      "A later run of this repository has made its release live, so a CI job does not put this older one in its place. If it is meant, the job says so (svc publish --replace-later-run), or a person makes it live: svc live RELEASE.",
  },
  release_withdrawn: {
    status: 409,
    title: "Release withdrawn",
    detail: "A release with exactly these files and settings was deleted. Change a file, then publish.",
  },
} as const;
