import type { Project } from "../../entities/project.ts";
import { newId } from "../ids.ts";
import { keys } from "../keys.ts";
import { noticeWrite } from "../outbox.ts";
import { change, transact, tryTransact, type Write } from "../transaction.ts";
import { pointerWrites, waitingWrites } from "./pointer-items.ts";

/**
 * Limits a project until a time, if its owner is as it was read and it has not been limited until then. Its pointer is written now and at that
 * time, by the schedule.
 *
 * @returns whether it is limited by this
 */
export async function setTrafficLimit({ slug, ownerKey }: Project, until: Date, now: Date): Promise<boolean> {
  const failed = await tryTransact({
    project: change(keys.project(slug), "SET trafficLimit = :limit", {
      condition: "ownerKey = :owner AND (attribute_not_exists(trafficLimit) OR trafficLimit.#until <> :until)",
      values: { ":limit": { until: until.toISOString() }, ":owner": ownerKey, ":until": until.toISOString() },
    }),
    notice: trafficNotice("project_traffic_limited", { slug, ownerKey }, now),
    pointers: [now, until].flatMap((from) => waitingWrites([slug], from)),
  });
  return failed === undefined;
}

/** Lifts a limit that the project has, so that the month brings no other one. */
export async function removeTrafficLimit({ slug, trafficLimit }: Project, now: Date): Promise<void> {
  await transact({
    project: change(keys.project(slug), "SET trafficLimit.isLifted = :true", {
      condition: "trafficLimit.#until = :until AND attribute_not_exists(trafficLimit.isLifted)",
      values: { ":true": true, ":until": trafficLimit?.until },
    }),
    pointers: pointerWrites([slug], now),
  });
}

/** The notice to the owner that a limit of traffic is near or reached. */
export function trafficNotice(
  type: "project_traffic_high" | "project_traffic_limited",
  { slug, ownerKey }: Pick<Project, "slug" | "ownerKey">,
  now: Date,
): Write | undefined {
  return noticeWrite({ id: newId(now), type, at: now.toISOString(), accountKey: ownerKey, project: slug });
}
