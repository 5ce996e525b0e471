import type * as z from "zod/mini";
import type { clientKinds, event, eventType, publicationAct, scheduleEnd } from "./accounts.ts";

/** Events in words, for the histories of an account and of a project, on the dashboard and in the command line. */
export const eventsInWords: Readonly<Record<z.infer<typeof eventType>, string>> = {
  account_created: "Account created",
  role_upgraded: "Became a developer",
  developer_requested: "Asked the operator to become a developer",
  developer_approved: "Approved as a developer by the operator",
  account_suspended: "Account suspended by the operator",
  account_reinstated: "Account no longer suspended",
  token_created: "Token created",
  token_first_used: "Token used for the first time",
  token_used_from_new_network: "Token used from a new network",
  token_rotated: "Token replaced; it expires after the overlap",
  token_disclosed: "Token found in public",
  token_revoked: "Token revoked",
  token_refused: "Token refused in a project",
  token_taken_again: "Token that a project refused taken again",
  project_created: "Project created",
  project_deleted: "Project deleted",
  project_restored: "Project restored",
  project_edited: "Project edited",
  project_handed_over: "Project handed over to another developer",
  project_received: "Project taken over from another developer",
  project_suspended: "Project suspended by the operator",
  project_reinstated: "Project no longer suspended",
  invitation_created: "Somebody invited to a project",
  invitation_deleted: "Invitation to a project withdrawn or refused",
  member_added: "Became a member of a project",
  member_removed: "Member of a project removed, or project left",
  member_role_changed: "Member of a project got another role",
  team_member_added: "Somebody joins each new project from now on",
  team_member_removed: "Somebody joins no new project any more",
  publisher_added: "CI jobs may publish a project",
  publisher_removed: "CI jobs may no longer publish a project",
  token_exchanged: "CI job got a token for 15 minutes",
  preview_opened: "Preview opened by a CI job",
  release_published: "Release made live",
  person_required: "From now on a person makes live",
  person_no_longer_required: "Tokens and CI jobs make live again, without a person",
  release_waiting: "Release waits for a person to make it live",
  release_unpublished: "Project taken offline",
  release_withdrawn: "Release deleted",
  release_edited: "What is new in a release edited",
  release_scheduled: "Release scheduled",
  schedule_cancelled: "Schedule of a release cancelled",
  schedule_ended: "Schedule of a release ended",
};

/** By what a token was used. */
export const clientsInWords: Readonly<Record<(typeof clientKinds)[number], string>> = {
  svc: "by the svc command",
  browser: "by a web page",
  other: "by another program",
};

const actsInWords: Readonly<Record<z.infer<typeof publicationAct>, string>> = {
  publication: "Release published",
  promotion: "Release of a preview made live",
  roll_back: "Earlier release made live again",
};

/** Why a schedule ended, after "ended:". */
export const scheduleEndsInWords: Readonly<Record<z.infer<typeof scheduleEnd>, string>> = {
  another_release_live: "another release went live",
  taken_offline: "the project was taken offline",
  release_deleted: "the release was deleted",
  release_incomplete: "files of the release are missing",
  right_ended: "whoever scheduled it may not publish any more",
  person_required: "a person makes live since then",
  project_suspended: "the project is suspended",
  too_late: "the service could not do it in time",
  table_restored: "the service was restored from a backup",
};

/**
 * What happened, the words for how a release went live, its number, when it is to go live and why it does not. Events of older versions
 * have less.
 */
export function eventInWords({
  type,
  act,
  release_number: number,
  scheduled_for: scheduledFor,
  schedule_end: end,
}: Pick<z.infer<typeof event>, "type" | "act" | "release_number" | "scheduled_for" | "schedule_end">): string {
  const words = act ? actsInWords[act] : eventsInWords[type];
  const time = scheduledFor && ` for ${scheduledFor.slice(0, 10)} ${scheduledFor.slice(11, 16)} UTC`;
  const facts = [number === undefined ? [] : `#${number}`, end === undefined ? [] : scheduleEndsInWords[end]].flat();
  return `${words}${time ?? ""}${facts.length > 0 ? `: ${facts.join(", ")}` : ""}`;
}
