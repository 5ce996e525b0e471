import { limits } from "../../../contract/api/limits.ts";
import type { PendingNotice, WebhookEvent } from "../../../functions/entities/notice.ts";
import type { Project, Webhook } from "../../../functions/entities/project.ts";
import { newId } from "../../../functions/table/ids.ts";
import { keys } from "../../../functions/table/keys.ts";
import { ownerAndAdmins } from "../../../functions/table/projects/history.ts";
import { readItems } from "../../../functions/table/read.ts";
import type { AttemptResult, WebhookFailure } from "./webhook.ts";
import {
  endDelivery,
  insertDeliveries,
  isDelivery,
  markSwitchedOff,
  noteFailure,
  readDueDeliveries,
  readFailures,
  readProjectsOf,
  removeFailure,
  removeWaiting,
  retryDelivery,
  type Waiting,
} from "./webhook-items.ts";
import { messageOf, requestOf } from "./webhook-message.ts";

type WaitingEvent = Exclude<Waiting, { webhookId: string }>;
type Delivery = Extract<Waiting, { webhookId: string }>;

/** One run over all that is due. */
export interface WebhookRun {
  readonly send: (request: ReturnType<typeof requestOf>) => Promise<AttemptResult>;
  readonly now: Date;
  /** Whether another delivery may begin; the rest waits for the next run. */
  readonly hasTime: () => boolean;
}

export interface WebhookRunResult {
  delivered: number;
  /** Not accepted, and sent again later. */
  retried: number;
  /** Not accepted, and not sent again. */
  failed: number;
}

/** Deliveries to one webhook, and events of one project, in one run: nobody else waits for them. */
const maxPerRun = 10;
/** Webhooks that are sent to at the same time. */
const maxAtOnce = 16;
const minute = 60_000;
/** Pauses before the next attempts; the last one is repeated for the rest of a day. */
const pauses = [1, 5, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * minute);
const dayMilliseconds = 86_400_000;

/**
 * Sends what is due to webhooks, at least once: it waits until the receiver has responded with a status of 2xx, or a day is over. Each
 * webhook gets its deliveries one after the other, until one fails.
 *
 * @throws whatever the table throws, once the other webhooks have finished
 */
export async function deliverToWebhooks(run: WebhookRun): Promise<WebhookRunResult> {
  const result: WebhookRunResult = { delivered: 0, retried: 0, failed: 0 };
  const { events, deliveries } = await readAllDue(run);
  const projects = await readProjectsOf([...events, ...deliveries]);
  const made = await Promise.all(events.map((event) => makeDeliveries(event, projects, run.now)));
  const queues = [
    ...Map.groupBy([...deliveries, ...made.flat()], ({ slug, webhookId }) => `${slug} ${webhookId}`).values(),
  ];
  const work = async () => {
    for (let queue = queues.shift(); queue !== undefined; queue = queues.shift())
      await deliverQueue(queue, projects, run, result);
  };
  const settled = await Promise.allSettled(Array.from({ length: maxAtOnce }, work));
  for (const each of settled) if (each.status === "rejected") throw each.reason;
  return result;
}

/** What is due, at most {@link maxPerRun} of each webhook and project. */
async function readAllDue({ now, hasTime }: WebhookRun) {
  const counts = new Map<string, number>();
  const [events, deliveries]: [WaitingEvent[], Delivery[]] = [[], []];
  let after: string | undefined;
  do {
    const { items, last } = await readDueDeliveries(now, after);
    for (const each of items) {
      const of = isDelivery(each) ? `${each.slug} ${each.webhookId}` : each.project;
      const count = counts.get(of) ?? 0;
      if (count >= maxPerRun) continue;
      counts.set(of, count + 1);
      if (isDelivery(each)) deliveries.push(each);
      else events.push(each);
    }
    after = last;
  } while (after !== undefined && hasTime());
  return { events, deliveries };
}

/** Makes the deliveries of an event: to each webhook that is on. */
async function makeDeliveries(
  event: WaitingEvent,
  projects: ReadonlyMap<string, Project>,
  now: Date,
): Promise<Delivery[]> {
  const project = openProject(projects, event.project);
  const webhooks = project ? await webhooksThatAreOn(project) : [];
  if (project === undefined || webhooks.length === 0) {
    await removeWaiting([event]);
    return [];
  }
  const [by] = await readItems([event.byKey === undefined ? undefined : keys.account(event.byKey)]);
  return await insertDeliveries(event, webhooks, messageOf(event satisfies WebhookEvent, project, by), now);
}

/** A project whose changes are told: not a deleted one, and not a suspended one. */
function openProject(projects: ReadonlyMap<string, Project>, slug: string): Project | undefined {
  const project = projects.get(slug);
  return project === undefined || (project.deletedAt ?? project.suspension) !== undefined ? undefined : project;
}

async function webhooksThatAreOn({ slug, webhooks = [] }: Project): Promise<Webhook[]> {
  const failures = await readFailures(slug, webhooks);
  return webhooks.filter(({ isOff }, index) => !isOff && failures[index]?.offAt === undefined);
}

/** Sends what waits for one webhook, until an attempt fails. */
async function deliverQueue(
  [first, ...others]: readonly Delivery[],
  projects: ReadonlyMap<string, Project>,
  run: WebhookRun,
  result: WebhookRunResult,
): Promise<void> {
  if (first === undefined) return;
  const project = openProject(projects, first.slug);
  const webhook = project?.webhooks?.find(({ id }) => id === first.webhookId);
  if (project === undefined || webhook === undefined) return await removeWaiting([first, ...others]);
  const [failure] = await readFailures(project.slug, [webhook]);
  const target: Target = { project, webhook, failure };
  for (const delivery of [first, ...others])
    if (!run.hasTime() || !(await deliver(delivery, target, run, result))) return;
}

interface Target {
  readonly project: Project;
  readonly webhook: Webhook;
  /** As it was read when the run began. */
  readonly failure: WebhookFailure | undefined;
}

/** @returns whether the next one may be sent */
async function deliver(
  delivery: Delivery,
  { project, webhook, failure }: Target,
  run: WebhookRun,
  result: WebhookRunResult,
): Promise<boolean> {
  const { now } = run;
  const isOff = webhook.isOff || failure?.offAt !== undefined;
  if (isOff && !delivery.byHand) {
    await endDelivery(delivery, "failed", { error: "switched_off" }, now);
    return true;
  }
  const attempt = await run.send(requestOf(webhook, delivery, now));
  if ("responseStatus" in attempt && attempt.responseStatus >= 200 && attempt.responseStatus < 300) {
    await endDelivery(delivery, "delivered", attempt, now);
    if (failure !== undefined) await removeFailure(project.slug, webhook.id);
    result.delivered += 1;
    return true;
  }
  const pause = pauses[Math.min(delivery.attempts, pauses.length - 1)] ?? dayMilliseconds;
  const next = new Date(now.getTime() + pause);
  const end = Date.parse(delivery.at) + limits.deliveryRetrySeconds * 1_000;
  if (delivery.byHand || next.getTime() > end) {
    await endDelivery(delivery, "failed", attempt, now);
    result.failed += 1;
  } else {
    await retryDelivery(delivery, next, attempt, now);
    result.retried += 1;
  }
  if (!delivery.byHand) await noteThatItFails({ project, webhook, failure }, now);
  return false;
}

/** Notes since when a webhook fails, and switches it off after days; its owner and admins hear of that. */
async function noteThatItFails({ project, webhook, failure }: Target, now: Date): Promise<void> {
  const { slug } = project;
  if (failure === undefined) return await noteFailure(slug, webhook.id, now);
  if (now.getTime() - Date.parse(failure.since) < limits.webhookFailingDays * dayMilliseconds) return;
  const notices = ownerAndAdmins(project).map(
    (accountKey): PendingNotice => ({
      id: newId(now),
      type: "webhook_switched_off",
      at: now.toISOString(),
      accountKey,
      project: slug,
    }),
  );
  await markSwitchedOff(slug, webhook.id, notices, now);
}
