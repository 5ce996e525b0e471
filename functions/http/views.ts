import type * as z from "zod/mini";
import type * as accounts from "../../contract/api/accounts/accounts.ts";
import type * as projects from "../../contract/api/projects/projects.ts";
import type * as tokens from "../../contract/api/tokens/tokens.ts";
import { type Actor, tokenOf } from "../domain/authentication.ts";
import { pictureUrl, playUrl } from "../domain/projects/play-url.ts";
import type { ChangedProject } from "../domain/projects/pointers.ts";
import { type Storage, usedOf } from "../domain/projects/quota.ts";
import { reportUrl } from "../domain/projects/report-url.ts";
import { repositoryUrl, shownRun } from "../domain/projects/shown-run.ts";
import { restorableUntil, roleIn } from "../domain/projects/state.ts";
import type { RawToken } from "../domain/tokens/raw-token.ts";
import { type TokenInUse, type TokenRequest, tokenStatus } from "../domain/tokens/tokens.ts";
import type { Account, AccountEvent, ReleaseFacts, Suspension } from "../entities/account.ts";
import type { Project, Schedule } from "../entities/project.ts";
import type { Token } from "../entities/token.ts";

/*
 * The one place where the wire's snake_case and the code's camelCase meet.
 */

type AccountView = z.infer<(typeof accounts.updateMe)["responses"][200]>;
type MeView = z.infer<(typeof accounts.getMe)["responses"][200]>;
type UserView = z.infer<(typeof accounts.getUser)["responses"][200]>;
type EventsView = z.infer<(typeof accounts.listEvents)["responses"][200]>;
type TokenView = z.infer<(typeof tokens.listTokens)["responses"][200]>["tokens"][number];
type TokenInUseView = z.infer<(typeof tokens.getToken)["responses"][200]>;
type ChangedProjectView = z.infer<(typeof projects.unpublishProject)["responses"][200]>;
type ProjectView = z.infer<(typeof projects.getProject)["responses"][200]>;
type TokenCreation = z.infer<(typeof tokens.createToken)["body"]>;

/** A time on the wire. */
export function timeOf(epochSeconds: number): string {
  return new Date(epochSeconds * 1_000).toISOString();
}

/** The account as its owner sees it. */
export function accountView(account: Account): AccountView {
  const { uid, name, avatar, email, emailVerified, releaseMails = true, role, createdAt, developerSince } = account;
  return {
    user: {
      ...{ uid, name, avatar, release_mails: releaseMails, email, email_verified: emailVerified, role },
      created_at: createdAt,
    },
    developer: developerSince ? { ...developerFields(account), created_at: developerSince } : null,
  };
}

/** Fields that a developer shows beside a user's profile. */
function developerFields({ displayName = null, bio = null }: Account) {
  return { display_name: displayName, bio };
}

/** The account, what authenticated the request, and what is stored. */
export function meView(actor: Actor, { used, quota, projectQuota }: Storage): MeView {
  const token = tokenOf(actor);
  return {
    ...accountView(actor.account),
    auth: token ? tokenAuthView(token) : { kind: "session" },
    suspension: suspensionView(actor.account.suspension),
    storage: { ...used, limit: quota, project_limit: projectQuota },
  };
}

export function suspensionView(suspension: Suspension | undefined): MeView["suspension"] {
  return suspension ? { at: suspension.at, reason: suspension.reason } : null;
}

function tokenAuthView({ id, name, scopes, projects, expiresAt }: Token): MeView["auth"] {
  return {
    kind: "token",
    token_id: id,
    name,
    scopes: [...scopes],
    projects: projects && [...projects],
    expires_at: expiresAt,
  };
}

/** The public profile: never the email address or the role, which are private. */
export function userView(account: Account): UserView {
  const { uid, name, avatar } = account;
  return { uid, name, avatar, ...developerFields(account) };
}

export function eventView(event: AccountEvent): EventsView["events"][number] {
  const { id, type, at, tokenId, tokenName, project, releaseId, release, publisherId, foundAt, network, reason } =
    event;
  return {
    id,
    type,
    at,
    ...(tokenId && { token_id: tokenId }),
    ...(project && { project }),
    ...(releaseId && { release_id: releaseId }),
    ...(release && releaseFactsView(release)),
    ...(tokenName !== undefined && { token_name: tokenName }),
    ...(publisherId && { publisher_id: publisherId }),
    ...(foundAt && { found_at: foundAt }),
    ...(network && { network }),
    ...(reason && { reason }),
  };
}

function releaseFactsView({
  act,
  number,
  message,
  tokenName,
  client,
  commit,
  run,
  scheduledFor,
  scheduleEnd,
}: ReleaseFacts) {
  return {
    ...(act && { act }),
    ...(number !== undefined && { release_number: number }),
    ...(message !== undefined && { message }),
    ...(run ? { commit: run.commit, run_url: run.runUrl } : commit !== undefined && { commit }),
    ...(tokenName !== undefined && { token_name: tokenName }),
    ...(scheduledFor !== undefined && { scheduled_for: scheduledFor }),
    ...(scheduleEnd && { schedule_end: scheduleEnd }),
    ...(client && { client }),
  };
}

/** A token without its secret. */
export function tokenView(token: Token, now: Date): TokenView {
  return {
    id: token.id,
    name: token.name,
    scopes: [...token.scopes],
    projects: token.projects && [...token.projects],
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    revoked_at: token.revokedAt ?? null,
    status: tokenStatus(token, now),
    last_used_at: token.lastUsedAt ?? null,
    hint: token.hint,
  };
}

/** A token with what it did and can do. */
export function tokenInUseView({ token, reach, activity, isActivityComplete }: TokenInUse, now: Date): TokenInUseView {
  return {
    ...tokenView(token, now),
    reach: [...reach],
    last_used_by: token.lastUsedBy ?? null,
    activity: activity.map(eventView),
    activity_complete: isActivityComplete,
  };
}

/** The one response that holds the secret. */
export function createdTokenView(token: Token, rawToken: RawToken, now: Date): TokenView & { token: string } {
  return { ...tokenView(token, now), token: rawToken.reveal() };
}

/** The same for a replacement, with the expiry of the token that it replaces. */
export function replacementView(
  { token, rawToken, replaced }: { token: Token; rawToken: RawToken; replaced: Token },
  now: Date,
) {
  const replaces = { id: replaced.id, expires_at: replaced.expiresAt };
  return { ...createdTokenView(token, rawToken, now), replaces };
}

export function tokenRequest(body: TokenCreation): TokenRequest {
  return {
    name: body.name,
    scopes: body.scopes,
    projects: body.projects ?? null,
    expiresAt: body.expires_at === undefined ? undefined : new Date(body.expires_at),
    expiresInDays: body.expires_in_days,
  };
}

/** A project as its people see it. It does not name an account. */
export function ownedProjectView(project: Project, { key }: Account): ProjectView {
  const { deletedAt, suspension } = project;
  return {
    ...projectView(project),
    role: roleIn(project, key) ?? null,
    deletion: deletedAt ? { at: deletedAt, restorable_until: restorableUntil(deletedAt).toISOString() } : null,
    suspension: suspensionView(suspension),
    schedule: scheduledReleaseView(project.schedule),
    storage: usedOf(project),
  };
}

export function scheduledReleaseView(schedule: Schedule | undefined): ProjectView["schedule"] {
  return schedule ? { release: schedule.releaseId, at: schedule.at } : null;
}

/** The same after a request that changed what players get of it. */
export function changedProjectView({ project, edge }: ChangedProject, account: Account): ChangedProjectView {
  return { ...ownedProjectView(project, account), edge };
}

/** A project as everybody may see it. */
export function projectView(project: Project): ProjectView {
  const { slug, name, description, createdAt, updatedAt, currentRelease, trafficLimit } = project;
  return {
    slug,
    name,
    description,
    picture: project.picture ?? null,
    pictures: project.pictures ? [...project.pictures] : null,
    how_to_play: project.howToPlay ?? null,
    role: null,
    created_at: createdAt,
    updated_at: updatedAt,
    current_release: currentRelease ? { id: currentRelease.id, published_at: currentRelease.publishedAt } : null,
    schedule: null,
    play_url: playUrl(project),
    picture_url: pictureUrl(project, currentRelease?.picture),
    report_url: reportUrl(slug),
    deletion: null,
    suspension: null,
    traffic_limited_until: trafficLimit && !trafficLimit.isLifted ? trafficLimit.until : null,
    show_provenance: project.showProvenance ?? false,
    refuse_tokens: project.refuseTokens ?? false,
    person_makes_live: project.personMakesLive ?? false,
    switched_off: [...(project.switchedOff ?? [])],
    provenance: provenanceView(project),
    storage: null,
  };
}

function provenanceView(project: Project): ProjectView["provenance"] {
  const run = shownRun(project);
  if (run === undefined) return null;
  return { repository_url: repositoryUrl(run), commit: run.commit, run_url: run.runUrl };
}
