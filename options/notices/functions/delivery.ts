import { limits } from "../../../contract/api/limits.ts";
import { tokenStatus } from "../../../functions/domain/tokens/tokens.ts";
import type { Account } from "../../../functions/entities/account.ts";
import type { ReleaseChange } from "../../../functions/entities/notice.ts";
import type { Token } from "../../../functions/entities/token.ts";
import { keys, outboxShards } from "../../../functions/table/keys.ts";
import { readItems } from "../../../functions/table/read.ts";
import type { Notice, NoticeChange } from "../contract/notice.ts";
import { moveToDeadLetters, readDueNotices, removeNotice, type WaitingNotice } from "./outbox.ts";
import { publicChange } from "./release-change.ts";

/**
 * Sends at most ten notices to the bus.
 *
 * @returns the ids of those that were refused
 */
export type SendNotices = (notices: readonly Notice[]) => Promise<ReadonlySet<string>>;

/** Notices in one request of EventBridge, its maximum. */
const noticesAtOnce = 10;
/** One BatchGetItem reads their accounts, another one their tokens. */
const noticesPerPage = 50;
/** Notices per account in the first turn; doubles with every turn. */
const firstTurn = 100;

/** One delivery of what is due. */
export interface DeliveryRun {
  readonly send: SendNotices;
  readonly now: Date;
  /** Whether another request may begin; the rest waits for the next run. */
  readonly hasTime: () => boolean;
}

export interface DeliveryResult {
  delivered: number;
  /** Refused, and to be tried again. */
  refused: number;
  /** Refused for a day, and not tried again. */
  deadLettered: number;
  /** The ids of those whose time cannot be read, so that no request can have them. They become dead letters at once. */
  readonly unreadable: string[];
}

/**
 * Sends every notice that is due, and deletes those that were accepted. A notice is sent twice if a run stops in between. A
 * refused notice delays the later ones of its account and no others, and is tried for a day. An account with very many delays
 * the others of its shard by its turn. A notice of a deleted account is deleted unsent, and so is the expiry of a token that has
 * ended or expires at another time by now.
 *
 * @throws whatever `send` or the table throws, once the other shards have finished
 */
export async function deliverNotices(run: DeliveryRun): Promise<DeliveryResult> {
  const result: DeliveryResult = { delivered: 0, refused: 0, deadLettered: 0, unreadable: [] };
  const settled = await Promise.allSettled(outboxShards.map((shard) => deliverShard(shard, run, result)));
  for (const each of settled) if (each.status === "rejected") throw each.reason;
  return result;
}

/** One reading of a shard from its beginning. */
interface Turn {
  /** Notices per account in this turn, at most. */
  readonly longest: number;
  /** Number of notices that have left, by account. */
  readonly delivered: Map<string, number>;
  /** The accounts one of whose notices was refused in this run. */
  readonly refused: Set<string>;
}

async function deliverShard(shard: number, run: DeliveryRun, result: DeliveryResult): Promise<void> {
  const refused = new Set<string>();
  for (let longest = firstTurn; ; longest *= 2) {
    const turn: Turn = { longest, delivered: new Map(), refused };
    let after: string | undefined;
    do {
      const { items, last } = await readDueNotices(shard, run.now, { limit: noticesPerPage, after });
      await deliverPage(items, turn, run, result);
      after = last;
    } while (after !== undefined && run.hasTime());
    const hasMore = [...turn.delivered.values()].some((count) => count >= longest);
    if (!hasMore || !run.hasTime()) return;
  }
}

function isHeld({ longest, delivered, refused }: Turn, { accountKey }: WaitingNotice): boolean {
  return refused.has(accountKey) || (delivered.get(accountKey) ?? 0) >= longest;
}

/** A notice that waits, and what is sent of it. */
interface OutgoingNotice {
  readonly waiting: WaitingNotice;
  readonly notice: Notice;
  /** More that wait and are in the same notice. */
  readonly others: readonly WaitingNotice[];
}

/**
 * Changes of a project's releases that an account hears of at the same time are one notice, with the id of the last: a change that
 * comes late is in another notice then.
 */
function together(all: readonly OutgoingNotice[]): OutgoingNotice[] {
  const groups = Map.groupBy(all, ({ waiting: { type, accountKey, at, project, id } }) =>
    type === "project_releases_changed" ? [accountKey, at, project].join(" ") : id,
  );
  return [...groups.values()].flatMap((group) => {
    const last = group.at(-1);
    if (last === undefined || group.length === 1) return group;
    const changes = group.flatMap(({ notice }) => notice.changes ?? []);
    const others = group.slice(0, -1).map(({ waiting }) => waiting);
    return [{ waiting: last.waiting, notice: { ...last.notice, changes }, others }];
  });
}

async function deliverPage(
  page: readonly WaitingNotice[],
  turn: Turn,
  run: DeliveryRun,
  result: DeliveryResult,
): Promise<void> {
  const next = page.filter((waiting) => !isHeld(turn, waiting));
  const { sendable, obsolete } = await readContents(next, run.now);
  await Promise.all(obsolete.map(removeNotice));
  let rest = together(await withReadableTime(sendable, run, result));
  for (;;) {
    rest = rest.filter(({ waiting }) => !isHeld(turn, waiting));
    const batch = firstOfEachAccount(rest);
    if (batch.length === 0 || !run.hasTime()) return;
    const refused = await run.send(batch.map(({ notice }) => notice));
    for (const { waiting, others } of batch) {
      if (!refused.has(waiting.id)) continue;
      turn.refused.add(waiting.accountKey);
      result.refused += 1;
      if (isTooOld(waiting, run.now)) {
        for (const each of [...others, waiting]) await moveToDeadLetters(each, run.now);
        result.deadLettered += 1;
      }
    }
    const accepted = batch.filter(({ waiting }) => !refused.has(waiting.id));
    await Promise.all(accepted.flatMap(({ waiting, others }) => [...others, waiting]).map(removeNotice));
    for (const { waiting } of accepted)
      turn.delivered.set(waiting.accountKey, (turn.delivered.get(waiting.accountKey) ?? 0) + 1);
    result.delivered += accepted.length;
    rest = rest.filter((each) => !batch.includes(each));
  }
}

/** Those whose time can be read. The others become dead letters: the bus would never accept a request with one of them. */
async function withReadableTime(
  notices: readonly OutgoingNotice[],
  { now }: DeliveryRun,
  { unreadable }: DeliveryResult,
): Promise<OutgoingNotice[]> {
  const isReadable = ({ waiting }: OutgoingNotice) => !Number.isNaN(Date.parse(waiting.at));
  for (const { waiting } of notices.filter((notice) => !isReadable(notice))) {
    await moveToDeadLetters(waiting, now);
    unreadable.push(waiting.id);
  }
  return notices.filter(isReadable);
}

/** The first notice of each account, because the notices of one request may be accepted in any order. */
function firstOfEachAccount(notices: readonly OutgoingNotice[]): OutgoingNotice[] {
  const byAccount = Map.groupBy(notices, ({ waiting }) => waiting.accountKey);
  return [...byAccount.values()].flatMap(([first]) => first ?? []).slice(0, noticesAtOnce);
}

function isTooOld({ at }: WaitingNotice, now: Date): boolean {
  return now.getTime() - Date.parse(at) > limits.noticeRetrySeconds * 1_000;
}

/** Contents to send for each notice, and the notices that must not be sent any more. */
async function readContents(
  page: readonly WaitingNotice[],
  now: Date,
): Promise<{ sendable: OutgoingNotice[]; obsolete: WaitingNotice[] }> {
  const accountKeys = [...new Set(page.flatMap(({ accountKey, change }) => [accountKey, change?.byKey ?? []].flat()))];
  const tokenKeys = new Map(page.flatMap(({ accountKey, tokenId }) => (tokenId ? [[tokenId, accountKey]] : [])));
  const [accounts, tokens] = await Promise.all([
    readItems(accountKeys.map((key) => keys.account(key))),
    readItems([...tokenKeys].map(([id, key]) => keys.token(key, id))),
  ]);
  const accountByKey = new Map(accounts.flatMap((account) => (account ? [[account.key, account]] : [])));
  const tokenById = new Map(tokens.flatMap((token) => (token ? [[token.id, token]] : [])));
  const all = page.map((waiting) => {
    const token = tokenById.get(waiting.tokenId ?? "");
    const change = waiting.change && changeOf(waiting.change, waiting, accountByKey);
    return {
      waiting,
      notice: noticeOf(waiting, { account: accountByKey.get(waiting.accountKey), token, change }, now),
    };
  });
  return {
    sendable: all.flatMap(({ waiting, notice }) => (notice ? [{ waiting, notice, others: [] }] : [])),
    obsolete: all.flatMap(({ waiting, notice }) => (notice ? [] : [waiting])),
  };
}

/** What a notice says of a change, with the names that are public now. */
function changeOf(
  change: ReleaseChange,
  { accountKey }: WaitingNotice,
  accounts: ReadonlyMap<string, Account>,
): NoticeChange {
  const { byKey, credential, release: { run } = {} } = change;
  return {
    ...publicChange(change, byKey === undefined ? undefined : accounts.get(byKey)),
    // Only the owner learns of which repository the run is.
    ...(run?.accountKey === accountKey && { run_url: run.runUrl }),
    own: credential === "session" && byKey === accountKey,
  };
}

interface NoticeContext {
  readonly account: Account | undefined;
  readonly token: Token | undefined;
  readonly change: NoticeChange | undefined;
}

/** A notice's content; undefined if it must not be sent any more. */
function noticeOf(
  { id, type, at, tokenId, project, network, expiresAt, worse }: WaitingNotice,
  { account, token, change }: NoticeContext,
  now: Date,
): Notice | undefined {
  if (account === undefined) return undefined;
  if (type === "token_expiring" && !(token && isStillExpiring(token, expiresAt, now))) return undefined;
  return {
    version: 1,
    id,
    type,
    at,
    account: { uid: account.uid },
    ...(tokenId && { token: { id: tokenId, ...(token && { hint: token.hint }) } }),
    ...(project && { project }),
    ...(network && { network }),
    ...(expiresAt && { expires_at: expiresAt }),
    ...(change && { changes: [change] }),
    ...(worse && { release: worse.release, release_before: worse.before }),
  };
}

function isStillExpiring(token: Token, expiresAt: string | undefined, now: Date): boolean {
  return tokenStatus(token, now) === "active" && token.expiresAt === expiresAt;
}
