import type { Account, AccountEvent } from "../../entities/account.ts";
import type { CodeLookups } from "../../entities/grant.ts";
import type { IdempotentCreation } from "../../entities/idempotent-creation.ts";
import type { Amount, Member, Project, TeamMember, TeamMembership } from "../../entities/project.ts";
import type { PendingPublisher } from "../../entities/publisher.ts";
import type { Release } from "../../entities/release.ts";
import type { Token } from "../../entities/token.ts";
import { readEvents } from "../../table/accounts/events.ts";
import { readIdempotentCreations } from "../../table/idempotency-items.ts";
import type { ReceivedInvitation } from "../../table/keys.ts";
import { readCodeLookups } from "../../table/login/grants.ts";
import { readLedger } from "../../table/projects/ledger.ts";
import { readReceivedInvitations } from "../../table/projects/member-items.ts";
import { readDeletedSlugs, readProject, readProjectSlugs } from "../../table/projects/project-items.ts";
import { readTeam, readTeamMemberships } from "../../table/projects/team-items.ts";
import { readPending } from "../../table/publishers/pending-publisher-items.ts";
import type { Slice } from "../../table/read.ts";
import { readReleases } from "../../table/releases/release-items.ts";
import { readTokens } from "../../table/tokens/token-items.ts";
import { usedOf } from "../projects/quota.ts";
import type { ExportRecord, StoredItems } from "../projects/stored-items.ts";
import { ServiceError } from "../service-error.ts";

/** Something that is stored about an account. */
export type ExportedRecord =
  | { readonly kind: "token"; readonly token: Token }
  | { readonly kind: "event"; readonly event: AccountEvent }
  | { readonly kind: "code_lookups"; readonly lookups: CodeLookups }
  | { readonly kind: "idempotent_creation"; readonly creation: IdempotentCreation }
  | { readonly kind: "invitation"; readonly invitation: ReceivedInvitation }
  | { readonly kind: "membership"; readonly slug: string; readonly member: Member }
  | { readonly kind: "team_member"; readonly member: TeamMember }
  | { readonly kind: "team"; readonly membership: TeamMembership }
  | { readonly kind: "pending_publisher"; readonly slug: string; readonly pending: PendingPublisher }
  | { readonly kind: "storage"; readonly storage: Amount }
  | { readonly kind: "project"; readonly project: Project }
  | { readonly kind: "release"; readonly release: Release; readonly project: Project }
  | { readonly kind: "option"; readonly record: ExportRecord };

/** What is exported of an account, and from where on. */
export interface ExportRequest {
  readonly cursor: string | undefined;
  /** What options store in projects. */
  readonly stored: readonly StoredItems[];
  readonly now: Date;
}

export interface ExportPage {
  readonly records: readonly ExportedRecord[];
  readonly nextCursor: string | null;
}

const recordsPerPage = 1_000;
const lists = { owned: readProjectSlugs, deleted: readDeletedSlugs } as const;
const projectLists = ["owned", "deleted"] as const satisfies (keyof typeof lists)[];

/** Page of one list of an account: the records that were read, and where the next page begins. */
interface ListPage {
  readonly records: readonly ExportedRecord[];
  readonly last: string | undefined;
}

/** The lists of an account, in the order in which they are exported. */
const accountLists = {
  tokens: async (key, slice) => recordsOf(await readTokens(key, slice), (token) => ({ kind: "token", token })),
  events: async (key, slice) => recordsOf(await readEvents(key, slice), (event) => ({ kind: "event", event })),
  lookups: async (key, slice) =>
    recordsOf(await readCodeLookups(key, slice), (lookups) => ({ kind: "code_lookups", lookups })),
  creations: async (key, slice) =>
    recordsOf(await readIdempotentCreations(key, slice), (creation) => ({ kind: "idempotent_creation", creation })),
  invitations: async (key, slice) =>
    recordsOf(await readReceivedInvitations(key, slice), (invitation) => ({ kind: "invitation", invitation })),
  teammembers: async (key) => {
    const all = Object.values((await readTeam(key))?.members ?? {});
    return { records: all.map((member) => ({ kind: "team_member", member }) as const), last: undefined };
  },
  teams: async (key) => {
    const all = await readTeamMemberships(key);
    return { records: all.map((membership) => ({ kind: "team", membership }) as const), last: undefined };
  },
  pending: async (key) => {
    const all = Object.entries((await readPending(key))?.publishers ?? {});
    return {
      records: all.map(([slug, pending]) => ({ kind: "pending_publisher", slug, pending }) as const),
      last: undefined,
    };
  },
  storage: async (key) => ({
    records: [{ kind: "storage", storage: usedOf(await readLedger(key)) }],
    last: undefined,
  }),
} as const satisfies Record<string, (key: string, slice: Slice) => Promise<ListPage>>;

type AccountList = keyof typeof accountLists;
const accountListNames = Object.keys(accountLists) as AccountList[];

function recordsOf<Item>(
  { items, last }: { items: readonly Item[]; last: string | undefined },
  recordOf: (item: Item) => ExportedRecord,
): ListPage {
  return { records: items.map(recordOf), last };
}

/** Position at which a page begins: in a list of the account, or in the releases of the project `slug`, after an item. */
interface Position {
  readonly part: AccountList | keyof typeof lists;
  readonly slug?: string | undefined;
  readonly after?: string | undefined;
}

/**
 * One page of everything that is stored about an account: its tokens, its events, how many user codes it has looked up, what it
 * created with idempotency keys, to which projects it is invited, who joins its new projects and whose it joins, how much it stores, what it is a member
 * of, its projects and the deleted ones, each with its releases and what options store in it.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function exportAccount(account: Account, request: ExportRequest): Promise<ExportPage> {
  const { cursor } = request;
  const position = cursor === undefined ? ({ part: "tokens" } as const) : decodePosition(cursor);
  const { records, next } = await pageAt(account.key, position, request);
  return { records, nextCursor: next ? encodePosition(next) : null };
}

interface PositionedPage {
  readonly records: readonly ExportedRecord[];
  readonly next: Position | undefined;
}

async function pageAt(key: string, position: Position, request: ExportRequest): Promise<PositionedPage> {
  const { part, after } = position;
  if (part === "owned" || part === "deleted") return await projectPage(key, part, position, request);
  const { records, last } = await accountLists[part](key, { limit: recordsPerPage, after });
  const following = accountListNames[accountListNames.indexOf(part) + 1] ?? "owned";
  return { records, next: last === undefined ? { part: following } : { part, after: last } };
}

/** The next project of a list with its first releases, or the next releases of the project `slug`. */
async function projectPage(
  key: string,
  part: keyof typeof lists,
  { slug, after }: Position,
  { stored, now }: ExportRequest,
): Promise<PositionedPage> {
  const isContinued = after !== undefined;
  const current = isContinued ? slug : (await lists[part](key, { limit: 1, after: slug })).items[0];
  if (current === undefined) return { records: [], next: part === "owned" ? { part: "deleted" } : undefined };
  const project = await readProject(current);
  const member = project?.members?.[key];
  if (member) return { records: [{ kind: "membership", slug: current, member }], next: { part, slug: current } };
  if (project?.ownerKey !== key) return { records: [], next: { part, slug: current } };
  const { items, last } = await readReleases(current, { limit: recordsPerPage, after });
  const releases = items.map((release) => ({ kind: "release", release, project }) as const);
  const others = last === undefined ? await Promise.all(stored.map((items) => items.exported(current, now))) : [];
  const ofOptions = others.flat().map((record) => ({ kind: "option", record }) as const);
  return {
    records: [...(isContinued ? [] : [{ kind: "project", project } as const]), ...releases, ...ofOptions],
    next: { part, slug: current, after: last },
  };
}

function encodePosition({ part, slug = "", after = "" }: Position): string {
  return Buffer.from([part, slug, after].join(":")).toString("base64url");
}

function decodePosition(cursor: string): Position {
  const text = Buffer.from(cursor, "base64url").toString();
  const match = /^(?<name>[a-z]+):(?<slug>[a-z0-9-]{0,40}):(?<after>[0-9A-Za-z-]{0,40})$/.exec(text);
  const { name, slug, after } = match?.groups ?? {};
  const part = [...accountListNames, ...projectLists].find((listName) => listName === name);
  if (part === undefined) throw new ServiceError("invalid_cursor");
  return { part, slug: slug || undefined, after: after || undefined };
}
