import type { WorseRelease } from "../../../functions/entities/notice.ts";
import type { Project } from "../../../functions/entities/project.ts";
import * as environment from "../../../functions/environment.ts";
import { ttlAfter } from "../../../functions/table/attributes.ts";
import { newId } from "../../../functions/table/ids.ts";
import { noticeWrite, webhookEventWrite } from "../../../functions/table/outbox.ts";
import { ownerAndAdmins } from "../../../functions/table/projects/history.ts";
import { putNew, tryTransact, type Writes } from "../../../functions/table/transaction.ts";
import { worseKey } from "./keys.ts";
import { crashesOfReleases } from "./release-crashes.ts";

/** For how many days is remembered that people were told of a release: much longer than its crashes are kept. */
const rememberedDays = 400;

/**
 * Tells owner and admins, and the project's webhooks, that the live release crashes clearly more often than the one before it: once for each
 * release, however often it is asked.
 */
export async function tellIfWorse(project: Project, now: Date): Promise<void> {
  if (!environment.deliversNotices()) return;
  const { worse } = await crashesOfReleases(project, {}, now);
  if (worse === undefined) return;
  const told = { at: now.toISOString(), ttl: ttlAfter(now, rememberedDays) };
  await tryTransact({
    told: putNew(worseKey(project.slug, worse.release.id), told),
    notices: noticesOf(project, worse, now),
  });
}

function noticesOf(project: Project, worse: WorseRelease, now: Date): Writes {
  const { slug, webhooks = [] } = project;
  const notice = { type: "release_crashes_more", at: now.toISOString(), project: slug } as const;
  const { release, before } = worse;
  const event = { releaseId: release.id, release: { number: release.number }, before, credential: "service" } as const;
  return [
    ...ownerAndAdmins(project).map((accountKey) => noticeWrite({ ...notice, id: newId(now), accountKey, worse })),
    webhooks.length > 0 ? webhookEventWrite({ ...notice, ...event, id: newId(now), byKey: undefined }) : undefined,
  ];
}
