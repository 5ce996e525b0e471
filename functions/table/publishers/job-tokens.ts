import { ConflictError } from "../../conflict.ts";
import type { Project } from "../../entities/project.ts";
import type { JobIdentity } from "../../entities/publisher.ts";
import type { Token } from "../../entities/token.ts";
import { developerCheck } from "../accounts/account-items.ts";
import { eventWrites } from "../accounts/events.ts";
import { asRead, itemExists } from "../expressions.ts";
import { keys } from "../keys.ts";
import { trustedCondition } from "../projects/project-items.ts";
import { check, put, putNew, tryTransact } from "../transaction.ts";
import { updateItem } from "../update.ts";

/** An identity token is remembered for so long after its expiry, which clocks see at different times. */
const rememberedSeconds = 3_600;

/**
 * Stores the token of a CI job and that the identity token is spent, provided that the project and its publishers are as they were
 * read, all or nothing.
 *
 * @returns why it never can be stored: the identity token was spent before, or the owner's account is suspended
 */
export async function insertJobToken({
  project,
  token,
  job,
  now,
}: {
  readonly project: Project;
  readonly token: Token;
  readonly job: JobIdentity;
  readonly now: Date;
}): Promise<"spent" | "account" | undefined> {
  const { slug, ownerKey } = project;
  const event = { project: slug, tokenId: token.id, publisherId: token.job?.publisherId };
  const failed = await tryTransact({
    spent: putNew(keys.spentIdentity(job), { ttl: Math.ceil(job.expiresAt) + rememberedSeconds }),
    account: developerCheck(ownerKey),
    project: check(keys.project(slug), trustedCondition(project)),
    token: put(keys.token(ownerKey, token.id), { ...token, ttl: Math.ceil(Date.parse(token.expiresAt) / 1_000) }),
    event: eventWrites(ownerKey, now, { type: "token_exchanged", ...event }),
  });
  if (failed === undefined) return undefined;
  if (failed.name === "spent") return "spent";
  if (failed.name === "account" && failed.item?.suspension) return "account";
  throw new ConflictError();
}

/** Ends the token of a CI job, by the job itself. Nobody needs to be told, so it is no event. */
export async function markJobTokenEnded(
  { accountKey, id }: Pick<Token, "accountKey" | "id">,
  now: Date,
): Promise<void> {
  const revoked = { revokedAt: now.toISOString() };
  await updateItem(keys.token(accountKey, id), revoked, itemExists, asRead({ revokedAt: undefined }));
}
