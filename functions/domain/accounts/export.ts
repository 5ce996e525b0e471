import { readEvents } from "../../table/accounts/events.ts";
import { readCodeLookups } from "../../table/login/grants.ts";
import { readLedger } from "../../table/projects/ledger.ts";
import { readDeletedSlugs, readOwnedSlugs, readProject } from "../../table/projects/projects.ts";
import { readReleases } from "../../table/releases/releases.ts";
import { readTokens } from "../../table/tokens/tokens.ts";
import type { Account, AccountEvent, Amount, Project, Release, Token } from "../entities.ts";
import type { CodeLookups } from "../login/entities.ts";
import { usedOf } from "../projects/quota.ts";
import { ServiceError } from "../service-error.ts";

/** Something that is stored about an account. */
export type ExportedRecord =
  | { readonly kind: "token"; readonly token: Token }
  | { readonly kind: "event"; readonly event: AccountEvent }
  | { readonly kind: "code_lookups"; readonly lookups: CodeLookups }
  | { readonly kind: "storage"; readonly storage: Amount }
  | { readonly kind: "project"; readonly project: Project }
  | { readonly kind: "release"; readonly release: Release; readonly project: Project };

export interface ExportPage {
  readonly records: readonly ExportedRecord[];
  readonly nextCursor: string | null;
}

const recordsPerPage = 1_000;
const lists = { owned: readOwnedSlugs, deleted: readDeletedSlugs } as const;

/** Where a page begins: in a list of the account, or in the releases of the project `slug`, after an item. */
interface Position {
  readonly part: "tokens" | "events" | "lookups" | keyof typeof lists;
  readonly slug?: string | undefined;
  readonly after?: string | undefined;
}

/**
 * One page of everything that is stored about an account: its tokens, its events, how many user codes it has looked up,
 * how much it stores, its projects and the deleted ones, each with its releases.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function exportAccount(account: Account, cursor: string | undefined): Promise<ExportPage> {
  const position = cursor === undefined ? ({ part: "tokens" } as const) : decodePosition(cursor);
  const { records, next } = await pageAt(account.key, position);
  return { records, nextCursor: next ? encodePosition(next) : null };
}

interface PositionedPage {
  readonly records: readonly ExportedRecord[];
  readonly next: Position | undefined;
}

async function pageAt(key: string, position: Position): Promise<PositionedPage> {
  const { part, after } = position;
  const slice = { limit: recordsPerPage, after };
  if (part === "tokens") {
    const { items, last } = await readTokens(key, slice);
    return pageOf(
      items.map((token) => ({ kind: "token", token })),
      { part, after: last },
      { part: "events" },
    );
  }
  if (part === "events") {
    const { items, last } = await readEvents(key, slice);
    return pageOf(
      items.map((event) => ({ kind: "event", event })),
      { part, after: last },
      { part: "lookups" },
    );
  }
  if (part === "lookups") {
    const { items, last } = await readCodeLookups(key, slice);
    const storage = { kind: "storage", storage: usedOf(await readLedger(key)) } as const;
    return pageOf(
      [
        ...items.map((lookups) => ({ kind: "code_lookups", lookups }) as const),
        ...(last === undefined ? [storage] : []),
      ],
      { part, after: last },
      { part: "owned" },
    );
  }
  return await projectPage(key, part, position);
}

function pageOf(records: readonly ExportedRecord[], rest: Position, following: Position): PositionedPage {
  return { records, next: rest.after === undefined ? following : rest };
}

/** The next project of a list with its first releases, or the next releases of the project `slug`. */
async function projectPage(key: string, part: keyof typeof lists, { slug, after }: Position): Promise<PositionedPage> {
  const isContinued = after !== undefined;
  const current = isContinued ? slug : (await lists[part](key, { limit: 1, after: slug })).slugs[0];
  if (current === undefined) return { records: [], next: part === "owned" ? { part: "deleted" } : undefined };
  const project = await readProject(current);
  if (project?.ownerKey !== key) return { records: [], next: { part, slug: current } };
  const { items, last } = await readReleases(current, { limit: recordsPerPage, after });
  const releases = items.map((release) => ({ kind: "release", release, project }) as const);
  return {
    records: isContinued ? releases : [{ kind: "project", project }, ...releases],
    next: { part, slug: current, after: last },
  };
}

function encodePosition({ part, slug = "", after = "" }: Position): string {
  return Buffer.from([part, slug, after].join(":")).toString("base64url");
}

function decodePosition(cursor: string): Position {
  const text = Buffer.from(cursor, "base64url").toString();
  const match = /^(tokens|events|lookups|owned|deleted):([a-z0-9-]{0,40}):([0-9A-Za-z]{0,22})$/.exec(text);
  if (match === null) throw new ServiceError("invalid_cursor");
  const [, part, slug, after] = match;
  return { part: part as Position["part"], slug: slug || undefined, after: after || undefined };
}
