import type { Notice } from "./notice.ts";

/** Types of notices about releases: people, and a stage, can do without their mails. Without zod, which the function that mails has no use for. */
export const releaseNoticeTypes: readonly Notice["type"][] = ["project_releases_changed", "release_crashes_more"];
