import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePort } from "../../../local/table/dynamodb-engine.ts";
import { type Actor, actorsOf, type Developer } from "../../support/service/actors.ts";
import { must } from "../../support/service/checked-request.ts";
import { startService, type TestService } from "../../support/service/service.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem } from "../../support/table/stored.ts";

/*
 * A service that keeps its data is killed with -9 while clients write. Each client notes which requests got a success,
 * and which one it was waiting for. After the restart the former are stored; the latter happened completely or not at
 * all.
 */
const clients = 6;
const rounds = 3;

let folder: string;
let environment: Record<string, string | undefined>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-kill-"));
  // The issuer is part of every account's key, so the provider must come back where it was.
  const IDP_PORT = String(await freePort());
  environment = { IDP_PORT, TABLE_NAME: `svc-test-${randomUUID()}`, DYNAMODB_ENDPOINT: undefined };
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function start(): Promise<TestService> {
  return startService({ dataFolder: folder, env: environment });
}

/** The value of the last request that got a success, and of one that never got a response. */
class LastOutcome<T> {
  last: T;
  #pending: T | undefined;

  constructor(first: T) {
    this.last = first;
  }

  /** Notes the value once the action has succeeded. */
  async set(value: T, action: () => Promise<unknown>): Promise<void> {
    this.#pending = value;
    await action();
    this.last = value;
    this.#pending = undefined;
  }

  /** Whether a stored value is one that may be there. */
  allows(found: T): boolean {
    return found === this.last || found === this.#pending;
  }
}

/** Resources that one client was told of. */
interface Notes {
  readonly owner: Developer;
  readonly slug: string;
  readonly name: LastOutcome<string>;
  readonly page: LastOutcome<string | undefined>;
  /** Whether each raw token that was given out is revoked. */
  readonly tokens: Map<string, LastOutcome<boolean>>;
}

async function newNotes(service: TestService): Promise<Notes> {
  const owner = await actorsOf(service).developer();
  const slug = await newProject(owner);
  return {
    owner,
    slug,
    name: new LastOutcome("Ada Lovelace"),
    page: new LastOutcome<string | undefined>(undefined),
    tokens: new Map(),
  };
}

/** Writes until the service is gone, and counts how often all writes got a success. */
async function writeUntilKilled(
  { owner, slug, name, page, tokens }: Notes,
  run: { isKilled: boolean; responses: number },
) {
  try {
    for (; !run.isKilled; run.responses += 1) {
      const text = `${tokens.size} ${randomUUID()}`;
      const { body } = must(await owner.post("/tokens", { name: text, scopes: ["publish"] }), 201);
      const isRevoked = new LastOutcome(false);
      tokens.set(body.token, isRevoked);
      await name.set(text, async () => must(await owner.patch("/me", { name: text }), 200));
      await page.set(text, () => publish(owner, slug, { "index.html": text }));
      if (tokens.size % 2 === 0 || tokens.size > 40)
        await isRevoked.set(true, async () => must(await owner.delete(`/tokens/${body.id}`), 204));
    }
  } catch (error) {
    if (!run.isKilled) throw error;
  }
}

/** Notes of a client that are not true any more. */
async function lost(service: TestService, { owner, slug, name, page, tokens }: Notes): Promise<string[]> {
  const actors = actorsOf(service);
  const again: Actor = actors.bearer(owner.credential);
  const missing: string[] = [];
  const { body: me } = must(await again.get("/me"), 200);
  if (!name.allows(me.user.name)) missing.push(`the name ${name.last}, not ${me.user.name}`);
  const file = await actors.anonymous.get(`/projects/${slug}/files/index.html`);
  const found = file.status === 404 ? undefined : file.body;
  if (!page.allows(found)) missing.push(`the page ${page.last}, not ${found}`);
  for (const [raw, isRevoked] of tokens) {
    const { status } = await actors.bearer(raw).get("/me");
    if (!isRevoked.allows(status === 401)) missing.push(`a token whose revocation is ${isRevoked.last} gets ${status}`);
  }
  return missing;
}

/** Resolves when many requests got a response, at a random moment after that. */
async function enough(run: { readonly responses: number }): Promise<void> {
  while (run.responses < 4 * clients) await delay(20);
  await delay(Math.random() * 300);
}

test("after kill -9 each successful request is stored, and the table keeps its invariants", async () => {
  let service = await start();
  try {
    for (let round = 0; round < rounds; round += 1) {
      const notes = await Promise.all(Array.from({ length: clients }, () => newNotes(service)));
      const run = { isKilled: false, responses: 0 };
      const working = Promise.all(notes.map((client) => writeUntilKilled(client, run)));
      await Promise.race([working, enough(run)]);
      run.isKilled = true;
      service.process.kill("SIGKILL");
      await Promise.all([once(service.process, "exit"), working]);
      service.table.destroy();
      service = await start();
      const missing = [];
      for (const client of notes) missing.push(...(await lost(service, client)));
      expect(missing).toEqual([]);
      expect(brokenInvariants(await everyItem(service))).toEqual([]);
    }
  } finally {
    await service.stop();
  }
});
