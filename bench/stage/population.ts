import { randomUUID } from "node:crypto";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Account, Token } from "../../functions/domain/entities.ts";
import { RawToken } from "../../functions/domain/raw-token.ts";
import { accountKey, keys, tokenIdOf } from "../../functions/table/keys.ts";
import type { TestService } from "../../test/support/service.ts";

/** Somebody of the population who takes part in the measurement. */
export interface Inhabitant {
  readonly uid: string;
  /** A raw token of theirs. */
  readonly token: string;
}

const batchSize = 25;
const writers = 4;
const maximumActive = 30;
const dayMilliseconds = 86_400_000;

/**
 * Fills a stage's table with developers, each with so many tokens, of which at most 30 are active so that more can be
 * made. Written past the API: what a request costs afterwards is what matters, not how the items came.
 *
 * @returns some of them, spread over all
 */
export async function populate(
  stage: TestService,
  size: { accounts: number; tokensEach: number },
  sampleSize: number,
): Promise<Inhabitant[]> {
  const every = Math.max(1, Math.floor(size.accounts / sampleSize));
  const sample: Inhabitant[] = [];
  const people = inhabitants(stage.issuer, size, (index, inhabitant) => {
    if (index % every === 0 && sample.length < sampleSize) sample.push(inhabitant);
  });
  await Promise.all(Array.from({ length: writers }, () => writeAll(stage, people)));
  return sample;
}

type Item = Record<string, unknown>;

/** The items of one developer after the other. */
function* inhabitants(
  issuer: string,
  { accounts, tokensEach }: { accounts: number; tokensEach: number },
  note: (index: number, inhabitant: Inhabitant) => void,
): Generator<Item> {
  for (let index = 0; index < accounts; index += 1) {
    const uid = `inhabitant-${index}-${randomUUID().slice(0, 8)}`;
    const key = accountKey(issuer, uid);
    const rawTokens = Array.from({ length: tokensEach }, () => RawToken.generate(key));
    const tokens = rawTokens.map((rawToken, place) => tokenOf(key, rawToken, place < maximumActive));
    note(index, { uid, token: rawTokens[0]?.reveal() ?? "" });
    const active = tokens.filter(({ revokedAt }) => revokedAt === undefined);
    yield accountItem(key, uid, Object.fromEntries(active.map(({ id, expiresAt }) => [id, expiresAt])));
    for (const token of tokens) yield { ...keys.token(key, token.id), ...token };
  }
}

function accountItem(key: string, uid: string, activeTokens: Account["activeTokens"]): Item {
  const account: Account = {
    key,
    uid,
    name: "Ada Lovelace",
    avatar: null,
    email: `${uid}@example.test`,
    role: "dev",
    createdAt: new Date().toISOString(),
    developerSince: new Date().toISOString(),
    activeTokens,
    projectCount: 0,
  };
  return { ...keys.account(key), ...account };
}

function tokenOf(key: string, rawToken: RawToken, isActive: boolean): Token {
  const now = new Date();
  return {
    id: tokenIdOf(rawToken.hash),
    accountKey: key,
    hash: rawToken.hash.toString("base64"),
    name: "CI of the game",
    scopes: ["publish"],
    projects: null,
    hint: rawToken.hint,
    createdAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + 60 * dayMilliseconds).toISOString(),
    lastUsedAt: now.toISOString(),
    ...(!isActive && { revokedAt: now.toISOString() }),
  };
}

/** Takes batches from the items that all writers share, until there are no more. */
async function writeAll({ table, tableName }: TestService, items: Generator<Item>): Promise<void> {
  for (;;) {
    const batch = takeBatch(items);
    if (batch.length === 0) return;
    const { UnprocessedItems = {} } = await table.send(
      new BatchWriteCommand({ RequestItems: { [tableName]: batch.map((Item) => ({ PutRequest: { Item } })) } }),
    );
    if (Object.keys(UnprocessedItems).length > 0) throw new Error("The engine did not write a whole batch");
  }
}

function takeBatch(items: Generator<Item>): Item[] {
  const batch: Item[] = [];
  while (batch.length < batchSize) {
    const { value, done } = items.next();
    if (done) break;
    batch.push(value);
  }
  return batch;
}
