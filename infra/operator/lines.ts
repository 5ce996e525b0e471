import { eventInWords } from "../../contract/api/accounts/event-words.ts";
import { trafficLimitedUntil } from "../../functions/domain/projects/state.ts";
import type { Account, AccountEvent, Suspension } from "../../functions/entities/account.ts";
import type { Project, ProjectEvent } from "../../functions/entities/project.ts";
import type { ShownAccount, ShownProject } from "./shown.ts";

/* What the operator is shown, in lines for a terminal; `--json` has the rest. */

const projectsShown = 4;
const eventsShown = 5;

/** An account in about 15 lines. */
export function linesOfAccount(account: ShownAccount, now: Date): string[] {
  const { uid, name, role, projects, activeTokens, events } = account;
  const rows = projects.slice(0, projectsShown).map((project) => [project.slug, placeOf(project, now)].join("  "));
  const more = projects.length - rows.length;
  return [
    `${name} (${uid}), ${role === "dev" ? "developer" : "user"}: ${stateOfAccount(account)}`,
    ...list("mail", [mailOf(account)]),
    ...list("since", [minute(account.createdAt)]),
    ...list("tokens", [`${activeTokens} active`]),
    ...list("projects", [...rows, ...(more > 0 ? [`and ${more} more`] : [])]),
    ...list("last", events.slice(0, eventsShown).map(lineOfEvent)),
  ];
}

/** A project in about 15 lines. */
export function linesOfProject(project: ShownProject, now: Date): string[] {
  const { slug, name, owner, releases, currentRelease, members = {}, usedBytes = 0, usedObjects = 0, events } = project;
  const live = releases.find(({ id }) => id === currentRelease?.id);
  const people = Object.values(members).map(({ role }) => role);
  return [
    `${slug}${name === slug ? "" : ` (${name})`}: ${placeOf(project, now)}`,
    ...list("owner", owner ? [`${owner.name} (${owner.uid}): ${stateOfAccount(owner)}`] : ["deleted"]),
    ...list("mail", owner ? [mailOf(owner)] : []),
    ...list("live", live ? [`release ${live.number ? `#${live.number} ` : ""}${live.id}, ${live.files} files`] : []),
    ...list("members", people.length > 0 ? [people.toSorted().join(", ")] : []),
    ...list("stored", [`${(usedBytes / 1_000_000).toFixed(1)} MB in ${usedObjects} objects`]),
    ...list("last", events.slice(0, eventsShown).map(lineOfEvent)),
  ];
}

/** A line for each of several accounts. */
export function linesOfAccounts(accounts: readonly Account[]): string[] {
  if (accounts.length === 0) return ["No account."];
  return accounts.map((account) => `${account.uid}  ${account.name}, ${mailOf(account)}: ${stateOfAccount(account)}`);
}

/** Lines with a label before the first one. */
function list(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `  ${(index === 0 ? label : "").padEnd(9)} ${line}`);
}

const minute = (at: string) => at.slice(0, 16).replace("T", " ");

function mailOf({ email, emailVerified }: Pick<Account, "email" | "emailVerified">): string {
  if (email === null) return "none";
  return emailVerified ? email : `${email}, which its provider has not verified`;
}

function stateOfAccount(account: Partial<Pick<Account, "suspension" | "developerRequestedAt">>): string {
  const { suspension, developerRequestedAt } = account;
  if (suspension) return `suspended ${sinceOf(suspension)}`;
  if (developerRequestedAt) return `waits for approval since ${minute(developerRequestedAt)}`;
  return "active";
}

const sinceOf = ({ at, reason }: Suspension) => `since ${minute(at)}, ${reason}`;

/** Where it is played, or why it is not. */
function placeOf(project: Project & { readonly url: string | null }, now: Date): string {
  const { suspension, deletedAt, currentRelease, url } = project;
  if (suspension?.isTakedown) return `taken down ${sinceOf(suspension)}`;
  if (suspension) return `suspended ${suspension.withAccount ? "with its account " : ""}${sinceOf(suspension)}`;
  if (deletedAt) return `deleted ${minute(deletedAt)}`;
  if (currentRelease === undefined) return "nothing is live";
  const limited = trafficLimitedUntil(project, now);
  if (limited) return `its traffic is used up until ${minute(limited.toISOString())}`;
  return `live since ${minute(currentRelease.publishedAt)}${url === null ? "" : ` at ${url}`}`;
}

function lineOfEvent(
  event: (AccountEvent | ProjectEvent) & { readonly project?: string; readonly by?: string | undefined },
) {
  const { at, type, release, project, by, tokenId, reason } = event;
  const what = eventInWords({ type, act: release?.act, release_number: release?.number });
  const details = [project, reason, tokenId && `token ${tokenId}`, by && `by ${by}`].filter(Boolean);
  return `${minute(at)}  ${what}${details.length > 0 ? ` (${details.join(", ")})` : ""}`;
}
