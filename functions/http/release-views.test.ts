import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { CreatedRelease } from "../domain/releases/opening.ts";
import type { PartUploads } from "../domain/releases/parts.ts";
import type { Account } from "../entities/account.ts";
import type { Project } from "../entities/project.ts";
import { createdReleaseView, partUploadsView, releaseRequest, releaseView } from "./release-views.ts";

beforeEach(() => {
  process.env["GAMES_DOMAIN"] = "games.example";
});

afterEach(() => {
  delete process.env["GAMES_DOMAIN"];
});

const at = "2026-01-01T00:00:00.000Z";
const owner = { account: { key: "k" } as Account, isCiJob: false, others: new Map(), falseCopies: new Map() };
const release = { id: "r1", manifest: "m", files: 1, bytes: 2, createdAt: at, publishedAt: at, picture: "b.png" };
const currentRelease = { id: "r1", publishedAt: at, manifest: "m", previous: null, picture: "a b.png" };
const project = { slug: "game", name: "Game", ownerKey: "k", currentRelease } as unknown as Project;

test("only the live release has a place where it is played, and a picture there", () => {
  expect(releaseView(release, project, owner)).toMatchObject({
    status: "live",
    play_url: "https://game.games.example/",
    picture_url: "https://game.games.example/a%20b.png",
    expires_at: null,
  });
  expect(releaseView({ ...release, id: "r2" }, project, owner)).toMatchObject({ play_url: null, picture_url: null });
  const { publishedAt: _, ...open } = { ...release, id: "r3", ttl: 1_767_225_600 };
  expect(releaseView(open, project, owner)).toMatchObject({ play_url: null, expires_at: at });
});

test("a release that is opened says what it changes, which settings it has, and how much is missing", () => {
  const changes = {
    added: { count: 1, paths: ["a"] },
    changed: { count: 1, paths: ["b"] },
    removed: { count: 1, paths: ["c"] },
    unchanged: { count: 1 },
    settings: ["spa"],
  };
  const created = {
    release: undefined,
    settings: {
      isolation: false,
      immutable: ["assets/*"],
      spa: true,
      frame: ["https://a.example"],
      preload: ["a.wasm"],
      updates: "content",
    },
    changes,
    missing: [
      { sha256: "x", size: 2 },
      { sha256: "y", size: 3 },
    ],
    indexes: [{ sha256: "z", size: 9, url: "https://store.example/index" }],
    olderFiles: [{ path: "b", sha256: "w", size: 8, isLive: true, url: "https://store.example/older" }],
    returning: { bytes: 4, withoutDeltas: 7 },
    uploads: undefined,
  };
  const { settings, ...paths } = changes;
  expect(createdReleaseView(created as unknown as CreatedRelease, project, owner)).toEqual({
    release: null,
    current_release: "r1",
    ...paths,
    settings: created.settings,
    changed_settings: settings,
    missing: ["x", "y"],
    bytes_to_send: 5,
    first_uploads: null,
    indexes: [{ sha256: "z", size: 9, url: "https://store.example/index" }],
    older_files: [{ path: "b", sha256: "w", size: 8, is_live: true, url: "https://store.example/older" }],
    returning_players: { bytes: 4, without_deltas: 7 },
  });
});

test("each part of a large file has its number, URL and headers", () => {
  const parts = [{ number: 2, url: "https://store.example/2", headers: { "x-amz-checksum": "x" } }];
  const view = partUploadsView({ stored: false, parts, expiresAt: at } as unknown as PartUploads);
  expect(view).toEqual({ stored: false, parts, expires_at: at });
});

test("what a request leaves out of a release is off", () => {
  const files = [{ path: "index.html", size: 1, sha256: "x" }];
  const settings = { isolation: false, immutable: [], spa: false, frame: "everybody", preload: [], updates: "content" };
  const common = { content: { files }, expectCurrent: undefined, dryRun: false };
  expect(releaseRequest({ files })).toEqual({ ...common, settings, description: {} });
  expect(releaseRequest({ files, settings: { spa: true }, source: { commit: "c" } })).toEqual({
    ...common,
    settings: { ...settings, spa: true },
    description: { source: { commit: "c" } },
  });
  const choices = { left_out: ["a/"], index: "b.html", picture: true, isolation_off: true };
  const said = { message: "m", picture: "p", choices, source: { commit: "c", run_url: "u" } };
  expect(releaseRequest({ files, ...said, dry_run: true, expect_current: null })).toEqual({
    ...common,
    settings,
    description: {
      message: "m",
      picture: "p",
      choices: { leftOut: ["a/"], index: "b.html", picture: true, isolationOff: true },
      source: { commit: "c", runUrl: "u" },
    },
    expectCurrent: null,
    dryRun: true,
  });
  const ofLive = { content: { filesOf: "r1" }, expectCurrent: undefined, dryRun: false };
  expect(releaseRequest({ files_of: "r1" })).toEqual({ ...ofLive, settings, description: {} });
});
