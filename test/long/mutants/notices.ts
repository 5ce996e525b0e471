import { type Mutant, mutantsOf } from "./mutant.ts";

const faults = "test/long/faults/notice-delivery";

/** Notices: which are written, and how they leave the service. */
export const noticeMutants: readonly Mutant[] = [
  ...mutantsOf("functions/domain/notices/notices.ts", "test/notices/delivery", [
    [
      'if (type === "token_expiring" && !(token && isStillExpiring(token, expiresAt, now))) return undefined;',
      "",
      "expiry",
    ],
    ['tokenStatus(token, now) === "active" && ', "", "expiry"],
    [" && token.expiresAt === expiresAt", "", "expiry"],
    ["await Promise.all(accepted.map(({ waiting }) => removeNotice(waiting)));", "", "due notice"],
  ]),
  ...mutantsOf("functions/domain/notices/notices.ts", faults, [
    ['  if (failed?.status === "rejected") throw failed.reason;\n', "", "at least once"],
    ["  if (account === undefined) return undefined;\n", "  account ??= {} as Account;\n", "deleted account"],
    ["      heldAccounts.add(waiting.accountKey);\n", "", "refuses"],
    [".slice(0, noticesAtOnce)", "", "ten at a time"],
    ["limits.noticeRetrySeconds * 1_000", "limits.noticeRetrySeconds", "whole day"],
    ["limits.noticeRetrySeconds * 1_000", "limits.noticeRetrySeconds * 1_100", "set aside"],
    ["if (batch.length === 0 || !run.hasTime()) return;", "if (batch.length === 0) return;", "no time"],
    ["      if (!refused.has(waiting.id)) continue;\n", "", "refuses"],
    ["    after = last;\n", "    after = undefined;\n", "more than a page|another page"],
    ["await Promise.allSettled(", "await Promise.all(", "one shard"],
  ]),
  ...mutantsOf("functions/table/notices/outbox.ts", "test/notices/", [
    ["  project_deleted: true,\n", ""],
    ["  token_disclosed: true,\n", ""],
    ["PK = :partition AND SK < :end", "PK = :partition AND SK <> :end", "expiry"],
  ]),
  ...mutantsOf("functions/table/notices/outbox.ts", faults, [
    ["waiting: remove({ PK, SK }, ", "waiting: remove({ PK, SK: PK }, ", "set aside"],
    ["{ ...rest, ttl }", "{ ...rest }", "set aside"],
  ]),
  ...mutantsOf("functions/jobs/senders/event-bridge.ts", faults, [
    ["Entries[index]?.EventId === undefined", "false", "refuses"],
    ["    if (!isAboutContent(error)) throw error;\n", "", "where the bus"],
    ["    if (!isAboutContent(error)) throw error;\n", "    throw error;\n", "refused alone"],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/notices/outbox", [
    ["  if (at <= createdAt) return [];\n", "", "expiry"],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/api/requests/overtaken", [
    [
      "(attribute_not_exists(networks) OR NOT contains",
      "(attribute_exists(PK) OR attribute_not_exists(networks) OR NOT contains",
      "same new network",
    ],
  ]),
];
