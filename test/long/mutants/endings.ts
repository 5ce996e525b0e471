// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source code, with its templates
import { type Mutant, mutantsOf } from "./mutant.ts";

const announced = "test/long/faults/sweep/announced-deletions";
const sweeper = "test/long/faults/sweep/sweeper";
const conditions = "test/long/faults/sweep/conditions";
const runs = "test/long/faults/sweep/runs";
const deletions = "test/long/faults/sweep/deletions";

/** What ends: projects, accounts, suspensions, and the files that no release needs. */
export const endingMutants: readonly Mutant[] = [
  // Projects: deleted, restored, unpublished
  ...mutantsOf("functions/table/projects/endings.ts", "test/api/projects/deletion", [
    [
      '"ownerKey = :owner AND deletedAt > :after',
      '"(ownerKey = :owner OR attribute_exists(PK)) AND deletedAt > :after',
    ],
    ["AND deletedAt > :after ", "AND (deletedAt > :after OR attribute_exists(PK)) "],
    [" AND attribute_not_exists(sweepBegunAt)", ""],
    [" AND attribute_not_exists(suspension)", ""],
    ['"REMOVE currentRelease", unchangedCondition(project)', '"REMOVE currentRelease", ownerCondition(ownerKey)'],
    ["    token: activeTokenCheck(token, now),\n", ""],
    ["    account: countMore(ownerKey),\n", ""],
    ["    countLess(ownerKey),\n", ""],
    ["    put(keys.deletion(ownerKey, slug), { slug, ttl }),\n", ""],
    ['    remove(keys.ownership(ownerKey, slug), { condition: "attribute_exists(PK)" }),\n', ""],
    ["    deletion: remove(keys.deletion(ownerKey, slug)),\n", ""],
    ["    ownership: putNew(keys.ownership(ownerKey, slug), { slug, createdAt }),\n", ""],
    ['    event: eventWrites(ownerKey, now, { type: "project_restored", project: slug }),\n', ""],
    ['    event: eventWrites(ownerKey, now, { type: "release_unpublished", ...event }),\n', ""],
    ['    ...eventWrites(ownerKey, now, { type: "project_deleted", project: slug }),\n', ""],
  ]),
  ...mutantsOf("functions/domain/projects/endings.ts", "test/api/projects/deletion", [
    ["  assertCurrent(project, expectCurrent);\n", ""],
    ["limits.projectRestoreDays * dayMilliseconds", "(limits.projectRestoreDays + 1) * dayMilliseconds"],
    [" || project.sweepBegunAt !== undefined", ""],
    ["  if (currentRelease === undefined) return project;\n", ""],
  ]),
  ...mutantsOf("functions/table/projects/projects.ts", "test/api/projects/deletion", [
    [
      "(ownerKey = :owner OR deletedAt < :deletedBefore)",
      "(ownerKey = :owner OR deletedAt < :deletedBefore OR attribute_exists(PK))",
    ],
    [
      "(ownerKey = :owner OR deletedAt < :deletedBefore)",
      "((ownerKey = :owner AND attribute_not_exists(PK)) OR deletedAt < :deletedBefore)",
    ],
  ]),
  ...mutantsOf("functions/domain/projects/projects.ts", "test/api/projects", [
    [" && (deletedAt !== undefined) === isDeleted", ""],
    ["if (project?.suspension) throw", "if (project === null) throw", "visitor|suspended|listed"],
    [" || project.deletedAt !== undefined", ""],
  ]),
  ...mutantsOf("local/sites/played-projects.ts", "test/api/projects/ended-projects", [
    ['if (project?.suspension) return { kind: "takenDown" };', ""],
    [" || project.deletedAt !== undefined", ""],
  ]),
  // Transfers
  ...mutantsOf("functions/table/projects/endings.ts", "test/api/projects/transfer", [
    ['"SET deletedAt = :now REMOVE transfer"', '"SET deletedAt = :now"', "restored"],
  ]),
  ...mutantsOf("functions/table/projects/transfers.ts", "test/api/projects/transfer", [
    [" AND transfer.toKey = :to", " AND (attribute_exists(PK) OR transfer.toKey = :to)"],
    [" AND transfer.expiresAt > :now", " AND (attribute_exists(PK) OR transfer.expiresAt > :now)"],
    ['"SET ownerKey = :to REMOVE transfer"', '"SET ownerKey = :to"'],
    ["    account: countMore(toKey),\n", ""],
    ["    before: countLess(ownerKey),\n", ""],
    ['    ownershipBefore: remove(keys.ownership(ownerKey, slug), { condition: "attribute_exists(PK)" }),\n', ""],
    ["    ownership: putNew(keys.ownership(toKey, slug), { slug, createdAt }),\n", ""],
    ['    handedOver: eventWrites(ownerKey, now, { type: "project_handed_over", project: slug }),\n', ""],
    ['    received: eventWrites(toKey, now, { type: "project_received", project: slug }),\n', ""],
    ['    event: eventWrites(ownerKey, now, { type: "project_offered", project: slug }),\n', ""],
    ['"REMOVE transfer", ownerCondition(ownerKey)', '"REMOVE transfer", { condition: "attribute_exists(PK)" }'],
  ]),
  ...mutantsOf("functions/domain/projects/transfers.ts", "test/api/projects/transfer", [
    ["  if (key === account.key)\n", "  if (key === project.slug)\n"],
    ["  if (standing) return project;\n", ""],
    [" && project.transfer.expiresAt > now.toISOString()", ""],
    ["limits.transferOfferDays * dayMilliseconds", "(limits.transferOfferDays + 1) * dayMilliseconds"],
    ["  assertRoomForProject(account);\n", ""],
    ["  if (used.objects > 0) assertRoomInAccount(ledger, used);\n", ""],
  ]),
  // Accounts
  ...mutantsOf("functions/table/accounts/deletion.ts", "test/api/accounts/deletion", [
    ["projectCount = :none AND ", "(attribute_exists(PK) OR projectCount = :none) AND "],
    [" AND attribute_not_exists(suspension)", ""],
    ["    if (found.length === 0) break;\n", "    if (found.length < 1_000) break;\n"],
    [
      "    if (found.length === 0) break;\n    await deleteItems(found);\n",
      "    await deleteItems(found);\n    break;\n",
    ],
    ["SET #ttl = :ttl REMOVE isErasing", "SET #ttl = :ttl"],
    ['names: { "#ttl": "ttl" }', 'names: { "#ttl": "another" }'],
  ]),
  ...mutantsOf("functions/domain/accounts/deletion.ts", "test/api/accounts/deletion", [
    ["  if (account && account.projectCount > 0) throw await projectsLeft(account);\n", ""],
    ['  if (account === undefined && !(await isErasing(key))) throw new ServiceError("account_required");\n', ""],
  ]),
  // Suspensions
  ...mutantsOf("functions/table/accounts/suspensions.ts", "test/long/journeys/operator test/long/security/suspended", [
    [
      "attribute_not_exists(suspension) AND projectCount = :count",
      "attribute_not_exists(suspension) AND (attribute_exists(PK) OR projectCount = :count)",
    ],
    ["if_not_exists(suspension, :suspension)", ":suspension"],
    [
      "ownerKey = :owner AND suspension.withAccount = :with",
      "ownerKey = :owner AND (attribute_exists(PK) OR suspension.withAccount = :with)",
    ],
    [" OR attribute_exists(suspension.withAccount)", ""],
    ["  const withAccount = owner?.suspension &&", "  const withAccount = undefined &&"],
    ["attribute_exists(deletedAt) AND", "attribute_exists(PK) AND", "restores meanwhile"],
    ["owner?.suspension && !isDeleted &&", "owner?.suspension &&", "is lifted"],
    [":now REMOVE transfer", ":now"],
    ["    gone: goneFromOwner(project, now),\n", ""],
  ]),
  ...mutantsOf("functions/domain/accounts/suspensions.ts", "test/long/journeys/operator test/long/security/suspended", [
    ["    if (account.suspension) return;\n", ""],
    [".filter(({ suspension }) => suspension?.withAccount)", ""],
    ["    if (isSuspendedItself(owned.project)) return;\n", ""],
    ["if (project.deletedAt === undefined && owner !== undefined)", "if (owner !== undefined)"],
    [
      "    if (isSuspendedItself(owned.project)) await removeProjectSuspension(owned, now);\n",
      "    await removeProjectSuspension(owned, now);\n",
    ],
  ]),
  // The sweep: releases that are opened during a deletion
  ...mutantsOf("functions/domain/sweep/deletions.ts", announced, [
    ["  if (isNamed || hashesOf", "  if (hashesOf"],
    [" || hashesOf(deletion.manifests).includes(manifest.digest)", ""],
  ]),
  ...mutantsOf("functions/table/releases/open-releases.ts", announced, [
    [
      "const notAnnounced = epochCondition(project);",
      'const notAnnounced = { condition: "attribute_exists(PK)", values: {} };',
    ],
    ['":releases": releases', '":releases": 0'],
  ]),
  // The sweep: conditions of its writes
  ...mutantsOf("functions/table/sweep/objects.ts", `${sweeper} ${conditions}`, [
    [
      "attribute_not_exists(currentRelease) OR currentRelease.id <> :id",
      "attribute_exists(PK) OR currentRelease.id <> :id",
    ],
    ["remove(keys.release(slug, release.id), asItWasRead(release))", "remove(keys.release(slug, release.id))"],
    ['{ condition: "publishedAt = :at", values: { ":at": publishedAt } }', '{ condition: "attribute_exists(PK)" }'],
    ["wasOpen ? [releaseClosed(slug, release)] : []", "[]"],
    ["        unchanged.condition,\n", "        `(attribute_exists(PK) OR ${unchanged.condition})`,\n"],
    [
      'opened === undefined ? "attribute_not_exists(opened)" : "opened = :opened"',
      'opened === undefined ? "attribute_exists(PK)" : "(attribute_exists(PK) OR opened = :opened)"',
    ],
    ['        "attribute_not_exists(deleting)",\n', ""],
    ["epoch = :epoch AND deleting = :true", "(attribute_exists(PK) OR epoch = :epoch) AND deleting = :true"],
    ["epoch = :epoch AND deleting = :true", "epoch = :epoch AND (attribute_exists(PK) OR deleting = :true)"],
    [
      '      condition: "epoch = :epoch",\n      values: { ":epoch": epoch }',
      '      condition: "attribute_exists(PK)"',
    ],
    ["SET sweepBegunAt = :now REMOVE currentRelease", "SET sweepBegunAt = :now"],
    [
      'condition: "deletedAt = :deletedAt"',
      'condition: "attribute_exists(PK) OR deletedAt = :deletedAt"',
      "the table refuses",
    ],
    [
      'condition: "sweepBegunAt = :begun"',
      'condition: "attribute_exists(PK) OR sweepBegunAt = :begun"',
      "the table refuses",
    ],
    ["    after = last;\n", "    after = undefined;\n"],
  ]),
  // The sweep: what is kept, and what is done in which order
  ...mutantsOf("functions/domain/sweep/retention.ts", sweeper, [
    ["  if (project.sweepBegunAt !== undefined) return [...releases];\n", ""],
    ["index < retention.releases", "index < retention.releases - 1"],
    ["published[index - 1]?.publishedAt", "published[index]?.publishedAt"],
    [" && Date.parse(until) < now.getTime() - retention.days * dayMilliseconds", ""],
    ["  return a < b ? 1 : -1;\n", "  return a < b ? -1 : 1;\n"],
    ["ttl + limits.uploadUrlLifetimeSeconds <", "ttl <"],
    [" || (suspension !== undefined && !suspension.isTakedown)", "", "deleted project"],
    ["suspension !== undefined && !suspension.isTakedown", "suspension !== undefined", "took down"],
    [" + 3_600_000 < now", " < now"],
  ]),
  ...mutantsOf("functions/domain/sweep/project.ts", sweeper, [
    [" || found.sweptAt !== undefined", ""],
    [
      "  const left = found.deleting ? await continueDeletion(found, sweep) : 0;\n",
      "  const left: number | string = 0;\n",
    ],
    [" + marginMilliseconds > announcedAt", " > announcedAt"],
    ["epoch: left.epoch + 1, leaseEndsAt", "epoch: left.epoch, leaseEndsAt"],
    ['if (outcome !== "changed") return', "return"],
    ["  await finishDeletion(slug, deletion.epoch);\n", ""],
  ]),
  ...mutantsOf("functions/domain/sweep/project.ts", deletions, [
    ["    project = { ...project, epoch: deletion.epoch };\n", "", "more objects"],
    ['    if (!sweep.hasTime()) return { outcome: "again", deleted };\n', ""],
    ["  if (unanswered > 0) throw new Error(`${unanswered} DELETE requests had no response`);\n", ""],
    ["  if (refused > 0) throw new Error(`${refused} DELETE requests were refused`);\n", ""],
  ]),
  ...mutantsOf("functions/files/deletions.ts", `${sweeper} ${deletions}`, [
    ["validMilliseconds / 1_000", "validMilliseconds"],
    ["error instanceof StoreRefusal || ", ""],
    [" || (error instanceof Error && error.cause instanceof StoreBusy)", ""],
  ]),
  ...mutantsOf("functions/domain/sweep/unneeded-objects.ts", `${sweeper} ${deletions}`, [
    ["digest !== undefined && manifests.has(digest)", "digest !== undefined"],
    ["if (named !== undefined) needed.bytes", "if (named === null) needed.bytes"],
    ["      if (upTo !== undefined && name > upTo) return;\n", ""],
    ["    startAfter = last.key;\n", "    return;\n"],
  ]),
  ...mutantsOf("functions/domain/sweep/named-objects.ts", deletions, [
    ["    above = part.upTo;\n", "    return;\n", "a part at a time"],
    ["  cutBeyond(partSize);\n", ""],
  ]),
  ...mutantsOf("functions/domain/sweep/projects.ts", runs, [
    ["  if (Date.parse(before.leaseEndsAt) > now.getTime()) return undefined;\n", ""],
    ["before.endedAt !== undefined && isDue", "isDue"],
    ["before.endedAt !== undefined && isDue", "before.endedAt !== undefined"],
    ["  if (!(await storeSweepState(first, before))) return undefined;\n", "  await storeSweepState(first, before);\n"],
    ["  for (const slug of first.again) if (slug !== last) await run.sweep(slug);\n", ""],
    ["sweeping.attempt >= patience", "sweeping.attempt > 9", "stops the runs"],
    ["      if (slug !== last) await run.sweep(slug, {", "      await run.sweep(slug, {", "stops the runs"],
    ["  run.endRound();\n", "", "stops the runs"],
    ["this.#stopped.attempt + 1", "1", "stops the runs"],
    ["toISOString() }, this.#stopped);", "toISOString() }, undefined);", "longer than a day"],
    ["      this.#failures.push({ slug, error });\n", ""],
    ['      if (outcome !== "again") this.#state', "      this.#state"],
    ["again: [...others, slug]", "again: others"],
    ["    if (!this.#isOurs) return;\n", ""],
  ]),
  ...mutantsOf("functions/table/sweep/runs.ts", runs, [
    ['"leaseEndsAt = :before"', '"attribute_exists(PK) OR leaseEndsAt = :before"'],
    ['{ ConditionExpression: "attribute_not_exists(PK)" }', "{}"],
    ["    start = page.LastEvaluatedKey as typeof start;\n", "    start = undefined;\n"],
  ]),
];
