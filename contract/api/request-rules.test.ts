import { expect, test } from "@jest/globals";
import * as z from "zod/mini";
import { type RouteName, routes } from "../../test/support/routes.ts";
import { examplesOf } from "../documents/examples.ts";
import { limits } from "./limits.ts";
import type { Route } from "./route.ts";

/*
 * Requests that a schema refuses; each refusal says what would be right.
 */

/** The places of the problems that a route finds in a body; with its text if a problem does not say what must be. */
function placesOf(name: RouteName, sent: unknown): string[] {
  const { body = z.never() } = routes[name] as Route;
  const { issues = [] } = z.safeParse(body, sent).error ?? {};
  const places = issues.map(({ path, message }) =>
    /^(must|is|differs) \w/.test(message) ? path.join("/") : `${path.join("/")}: ${message}`,
  );
  return [...new Set(places)];
}

/** The example of a route's body with changes. */
const exampleWith = (name: RouteName, changes: object) => ({ ...(examplesOf(name).request as object), ...changes });

const slugs = (count: number) => Array.from({ length: count }, (_, index) => `game-${index}`);
const hashes = (count: number) => Array.from({ length: count }, () => "a".repeat(64));
const copies = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ number: index + 1, sha256: "a".repeat(64), offset: 0 }));
const file = { path: "index.html", size: 1, sha256: "a".repeat(64) };
const filesOf = { files: undefined, picture: undefined, choices: undefined, source: undefined, files_of: "00VbbL3M8v" };

test.each<[RouteName, object, string]>([
  ["updateMe", { name: "ada@example.com" }, "name"],
  ["updateMe", { name: " \t " }, "name"],
  ["updateMe", { name: "a\u0007b" }, "name"],
  ["updateMe", { name: "a\u200bb" }, "name"],
  ["updateMe", { name: "a\ud800" }, "name"],
  ["updateMe", { display_name: "ada@example.com" }, "display_name"],
  ["updateMe", { bio: "a\ud800" }, "bio"],
  ["updateMe", { avatar: "https:images.example/a.png" }, "avatar"],
  ["updateMe", { avatar: "https://images.example/\u0007" }, "avatar"],
  ["updateMe", { avatar: "https://images.example/\ud800" }, "avatar"],
  ["updateMe", { avatar: "https://localhost/a.png" }, "avatar"],
  ["createToken", { expires_at: "2026-12-01T00:00:00Z", expires_in_days: 1 }, "expires_at"],
  ["createProject", { slug: "admin" }, "slug"],
  ["createRelease", { files: [{ ...file, path: "../index.html" }], picture: undefined }, "files/0/path"],
  ["createRelease", { files: [file, { ...file, path: "INDEX.html" }], picture: undefined }, "files/1/path"],
  ["createRelease", { files: [file, { ...file, path: "a.js", size: 2 }], picture: undefined }, "files/1/size"],
  ["createRelease", { settings: { immutable: ["a", "/a"] } }, "settings/immutable/1"],
  ["createRelease", { settings: { isolation: "none" } }, "settings/isolation"],
  ["createRelease", { picture: "other.png" }, "picture"],
  ["createRelease", { files: undefined, picture: undefined }, "files"],
  ["createRelease", { ...filesOf, files: [file] }, "files"],
  ["createRelease", { ...filesOf, picture: "index.html" }, "picture"],
  ["createRelease", { ...filesOf, choices: {} }, "choices"],
  ["createRelease", { ...filesOf, source: { commit: "4f2a9c0" } }, "source"],
  ["approveAuthorization", { redirect_uri: "http://localhost:49152/" }, "redirect_uri"],
  ["createToken", { name: "" }, "name"],
  ["createToken", { name: "a".repeat(limits.nameLength + 1) }, "name"],
  ["createToken", { scopes: [] }, "scopes"],
  ["createToken", { scopes: ["publish", "projects", "publish"] }, "scopes"],
  ["createToken", { projects: [] }, "projects"],
  ["createToken", { expires_at: "tomorrow" }, "expires_at"],
  ["createToken", { expires_in_days: 1.5 }, "expires_in_days"],
  ["rotateToken", { overlap_hours: 1.5 }, "overlap_hours"],
  ["updateMe", { bio: "a".repeat(limits.bioLength + 1) }, "bio"],
  ["updateMe", { avatar: "https://images.example/".padEnd(limits.urlLength + 1, "a") }, "avatar"],
  ["createProject", { slug: "a" }, "slug"],
  ["createInvitation", { role: "owner", to: "a".repeat(limits.uidLength + 1) }, "to"],
  ["createPublisher", { repository_id: "012" }, "repository_id"],
  ["createPublisher", { workflow: "publish.yml" }, "workflow"],
  ["createPublisher", { workflow: `.github/workflows/${"a".repeat(limits.claimLength)}.yml` }, "workflow"],
  ["createPublisher", { events: [] }, "events"],
  ["createPublisher", { events: Array(6).fill("push") }, "events"],
  ["createRelease", { files: [], picture: undefined }, "files"],
  ["createRelease", { files: [{ ...file, size: 1.5 }], picture: undefined }, "files/0/size"],
  [
    "createRelease",
    { files: [{ ...file, index: { size: 256 * 1024 + 1, sha256: "b".repeat(64) } }], picture: undefined },
    "files/0/index/size",
  ],
  ["createRelease", { files: [{ ...file, sha256: "A".repeat(64) }], picture: undefined }, "files/0/sha256"],
  ["createRelease", { settings: { immutable: slugs(limits.immutablePatterns + 1) } }, "settings/immutable"],
  ["createRelease", { source: { commit: "main" } }, "source/commit"],
  ["createUploads", { sha256: [] }, "sha256"],
  ["createUploads", { sha256: hashes(limits.uploadUrlsPerCall + 1) }, "sha256"],
  ["unpackFiles", { slot: 16 }, "slot"],
  ["unpackFiles", { slot: -1 }, "slot"],
  ["unpackFiles", { size: 4 * 1024 * 1024 + 1 }, "size"],
  ["unpackFiles", { sha256: "../x" }, "sha256"],
  ["continueUpload", { parts: hashes(1) }, "parts"],
  ["continueUpload", { parts: hashes(101) }, "parts"],
  ["continueUpload", { bytes_per_part: 5 * 1024 * 1024 - 1 }, "bytes_per_part"],
  ["continueUpload", { bytes_per_part: 16 * 1024 * 1024 + 1 }, "bytes_per_part"],
  ["continueUpload", { copies: copies(33) }, "copies"],
  ["continueUpload", { copies: [{ number: 0, sha256: hashes(1)[0], offset: 0 }] }, "copies/0/number"],
  ["continueUpload", { copies: [{ number: 1, sha256: "../x", offset: 0 }] }, "copies/0/sha256"],
  ["continueUpload", { copies: [{ number: 1, sha256: hashes(1)[0], offset: -1 }] }, "copies/0/offset"],
  ["continueUpload", { copies: [{ number: 1, sha256: hashes(1)[0], offset: 0.5 }] }, "copies/0/offset"],
  ["continueUpload", { copies: [{ number: 101, sha256: hashes(1)[0], offset: 0 }] }, "copies/0/number"],
  ["continueUpload", { copies: [{ number: 1, sha256: hashes(1)[0], offset: 524_288_001 }] }, "copies/0/offset"],
  ["exchangeGrant", { code_verifier: "short" }, "code_verifier"],
  ["approveAuthorization", { code_challenge: "short" }, "code_challenge"],
])("%s refuses %j and says what must be there", (name, changes, place) => {
  expect(placesOf(name, exampleWith(name, changes))).toEqual([place]);
});

/** The places of the texts in a value. */
function textPlaces(value: unknown): string[][] {
  if (typeof value === "string") return [[]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textPlaces(inner).map((place) => [name, ...place]));
}

// A form cannot have it. Telemetry names no example of its nested values; test/long/security/fuzz.test.ts sends them.
const withTexts = (Object.keys(routes) as RouteName[]).filter((name) => {
  const { body, form, internal } = routes[name] as Route;
  return body && !form && !internal;
});
/** Texts that are kept nowhere. */
const unstored: Partial<Record<RouteName, readonly string[]>> = {
  discloseTokens: ["tokens/0/token"],
  approveAuthorization: ["redirect_uri", "state"],
};

test.each(withTexts)("%s refuses half of a surrogate pair in each text of its body", (name) => {
  const sent = examplesOf(name).request;
  const taken = textPlaces(sent).filter((place) => {
    const changed = structuredClone(sent) as Record<string, unknown>;
    const inside = place.slice(0, -1).reduce((inner, key) => inner[key] as Record<string, unknown>, changed);
    const last = place.at(-1) ?? "";
    inside[last] = `${inside[last]}\ud800`;
    return !placesOf(name, changed).some((found) => found.split(/[/:]/)[0] === place[0]);
  });
  expect(taken.map((place) => place.join("/"))).toEqual(unstored[name] ?? []);
});

test.each([
  [{ project_id: "0" }, "project_id"],
  [{ ci_config_path: "/ci.yml" }, "ci_config_path"],
  [{ ci_config_path: `${"a".repeat(limits.claimLength)}.yml` }, "ci_config_path"],
  [{ environment: "" }, "environment"],
])("createPublisher refuses %j of GitLab", (changes, place) => {
  const jobs = { provider: "gitlab", project_id: "1", namespace_id: "2" };
  expect(placesOf("createPublisher", jobs)).toEqual([]);
  expect(placesOf("createPublisher", { ...jobs, ...changes })).toEqual([place]);
});

/** The places of all problems, unknown fields too. */
function allPlacesOf(name: RouteName, sent: unknown): string[] {
  const { issues = [] } = z.safeParse((routes[name] as Route).body ?? z.never(), sent).error ?? {};
  return issues.flatMap(({ path, ...issue }) =>
    (issue.code === "unrecognized_keys" ? issue.keys : [undefined]).map((key) => [...path, key ?? []].flat().join("/")),
  );
}

const release = (changes: object) => ({ picture: undefined, ...changes });
const otherFile = { size: 0, sha256: "b".repeat(64) };
const settings = (changes: object) => release({ files: [file], settings: changes });
const choices = (changes: object) => release({ files: [file], choices: changes });

test.each<[RouteName, string, object, string]>([
  ["createSession", "another role", { role: "admin" }, "role"],
  ["createSession", "no role in its place", { role: null }, "role"],
  ["createSession", "an email address", { email: "other@example.test" }, "email"],
  ["createSession", "a uid", { uid: "other" }, "uid"],
  ["updateMe", "a role", { role: "dev" }, "role"],
  ["updateMe", "an email address", { email: "x@example.test" }, "email"],
  ["updateMe", "no name", { name: null }, "name"],
  ["updateMe", "a picture by http", { avatar: "http://pictures.example/a.png" }, "avatar"],
  ["updateMe", "a script as picture", { avatar: "javascript:alert(1)" }, "avatar"],
  ["updateMe", "a number as text", { bio: 1 }, "bio"],
  ["createToken", "no name", { name: undefined }, "name"],
  ["createToken", "a raw token of the caller's own", { token: "pat_mine" }, "token"],
  ["discloseTokens", "no list", { tokens: undefined }, "tokens"],
  ["discloseTokens", "a number as token", { tokens: [{ token: 1 }] }, "tokens/0/token"],
  ["discloseTokens", "a place of another kind", { tokens: [{ token: "x", found_at: "ftp://x" }] }, "tokens/0/found_at"],
  ["createProject", "no slug", { slug: undefined }, "slug"],
  ["createProject", "a path", { slug: "../game" }, "slug"],
  ["createProject", "a word for a missing value", { slug: "null" }, "slug"],
  ["createProject", "a name in reverse", { name: "a\u202eb" }, "name"],
  ["createProject", "a soft hyphen", { name: "a\u00adb" }, "name"],
  ["createProject", "a name of two lines", { name: "a\nb" }, "name"],
  ["createProject", "an owner", { owner_key: "x" }, "owner_key"],
  ["updateProject", "another slug", { slug: "another" }, "slug"],
  ["updateProject", "an empty name", { name: "" }, "name"],
  ["updateProject", "no name", { name: null }, "name"],
  ["updateProject", "a live release", { current_release: null }, "current_release"],
  ["createPublisher", "a name in place of a number", { repository_id: "ada/star-hopper" }, "repository_id"],
  ["createPublisher", "a workflow with a branch", { workflow: ".github/workflows/publish.yml@main" }, "workflow"],
  ["createPublisher", "an event that strangers start", { events: ["pull_request_target"] }, "events/0"],
  ["createPublisher", "a subject", { sub: "repo:ada/star-hopper" }, "sub"],
  ...["", "PR-12", "pr 12", "-pr", "pr-", "a/b", "x".repeat(41)].map(
    (name) =>
      ["openPreview", `the name ${JSON.stringify(name)}`, { name }, "name"] as [RouteName, string, object, string],
  ),
  ["createRelease", "no files", { files: undefined }, "files"],
  ["createRelease", "files that are none", release({ files: "index.html" }), "files"],
  ["createRelease", "a size as text", release({ files: [{ ...file, size: "1" }] }), "files/0/size"],
  ["createRelease", "a long hash", release({ files: [{ ...file, sha256: "a".repeat(66) }] }), "files/0/sha256"],
  ["createRelease", "an unknown field of a file", release({ files: [{ ...file, mode: 7 }] }), "files/0/mode"],
  [
    "createRelease",
    "a variant without its length",
    release({ files: [{ ...file, br: { sha256: otherFile.sha256 } }] }),
    "files/0/br/size",
  ],
  [
    "createRelease",
    "a variant without its hash",
    release({ files: [{ ...file, br: { size: 0 } }] }),
    "files/0/br/sha256",
  ],
  [
    "createRelease",
    "a variant with an unknown field",
    release({ files: [{ ...file, br: { ...otherFile, gzip: 1 } }] }),
    "files/0/br/gzip",
  ],
  [
    "createRelease",
    "a variant and a file of one hash with two lengths",
    release({ files: [{ ...file, size: 9, br: { size: 1, sha256: file.sha256 } }] }),
    "files/0/br",
  ],
  [
    "createRelease",
    "a delta without its dictionary",
    release({ files: [{ ...file, deltas: [otherFile] }] }),
    "files/0/deltas/0/dictionary",
  ],
  [
    "createRelease",
    "a delta of a dictionary that is no hash",
    release({ files: [{ ...file, deltas: [{ ...otherFile, dictionary: "X" }] }] }),
    "files/0/deltas/0/dictionary",
  ],
  [
    "createRelease",
    "a delta and a file of one hash with two lengths",
    release({
      files: [{ ...file, size: 9, deltas: [{ dictionary: otherFile.sha256, size: 1, sha256: file.sha256 }] }],
    }),
    "files/0/deltas",
  ],
  [
    "createRelease",
    "an unknown encoding",
    release({ files: [{ ...file, path: "a.js.gz", encoding: "gzip" }] }),
    "files/0/encoding",
  ],
  ["createRelease", "updates of an unknown kind", settings({ updates: "delta" }), "settings/updates"],
  ["createRelease", "an unknown setting", settings({ threads: true }), "settings/threads"],
  ["createRelease", "spa that is neither true nor false", settings({ spa: "yes" }), "settings/spa"],
  ["createRelease", "frame of an unknown kind", settings({ frame: "some" }), "settings/frame"],
  [
    "createRelease",
    "a frame of an origin with a path",
    settings({ frame: ["https://a.example", "https://b.example/x"] }),
    "settings/frame/1",
  ],
  [
    "createRelease",
    "a frame of 21 origins",
    settings({ frame: Array(21).fill("https://a.example") }),
    "settings/frame",
  ],
  ["createRelease", "a picture that is no image", { files: [file], picture: "index.html" }, "picture"],
  [
    "createRelease",
    "a picture that is unpacked before it is one",
    { files: [{ ...file, path: "a.png.gz" }], picture: "a.png.gz" },
    "picture",
  ],
  [
    "createRelease",
    "a picture that is too large for lists",
    { files: [{ ...file, path: "a.png", size: limits.pictureBytes + 1 }], picture: "a.png" },
    "picture",
  ],
  ["updateProject", "a picture of the page out of the folder", { pictures: ["a.png", "../cover.png"] }, "pictures/1"],
  ["createRelease", "a picture out of the folder", { files: [file], picture: "../cover.png" }, "picture"],
  ["createRelease", "101 left-out paths", choices({ left_out: hashes(101) }), "choices/left_out"],
  ["createRelease", "a left-out path that is too long", choices({ left_out: ["a".repeat(251)] }), "choices/left_out/0"],
  ["createRelease", "a page without a name", choices({ index: "" }), "choices/index"],
  ["createRelease", "a choice that is none", choices({ spa: true }), "choices/spa"],
  ["createRelease", "an unknown field", { owner: "x" }, "owner"],
  ["createRelease", "a number as the expected release", { expect_current: 7 }, "expect_current"],
])("%s refuses %s", (name, _, changes, place) => {
  expect(allPlacesOf(name, exampleWith(name, changes))).toContain(place);
});

const letters = (length: number) => "a".repeat(length);
const url = (length: number) => "https://example.com/".padEnd(length, "a");
const delta = (_: unknown, index: number) => ({ ...otherFile, size: 0, dictionary: `${index}`.padEnd(64, "0") });
const several = <Item>(length: number, item: (_: unknown, index: number) => Item) => Array.from({ length }, item);

/*
 * The numbers are promises to clients, so they stand here as numbers: a changed limit would change the OpenAPI document with it, and nothing
 * else would fail.
 */
test.each<[string, RouteName, number, (value: number) => object, string]>([
  ["characters of an account's name", "updateMe", 80, (n) => ({ name: letters(n) }), "name"],
  ["characters of an account's picture", "updateMe", 2_048, (n) => ({ avatar: url(n) }), "avatar"],
  ["characters of a biography", "updateMe", 1_000, (n) => ({ bio: letters(n) }), "bio"],
  ["characters of a project's name", "createProject", 80, (n) => ({ name: letters(n) }), "name"],
  ["characters of a description", "createProject", 1_000, (n) => ({ description: letters(n) }), "description"],
  ["characters of how a game is played", "updateProject", 1_000, (n) => ({ how_to_play: letters(n) }), "how_to_play"],
  ["pictures of a game's page", "updateProject", 6, (n) => ({ pictures: slugs(n) }), "pictures"],
  ["characters of a token's name", "createToken", 80, (n) => ({ name: letters(n) }), "name"],
  ["days of a token", "createToken", 365, (n) => ({ expires_in_days: n }), "expires_in_days"],
  ["projects of a token", "createToken", 50, (n) => ({ projects: slugs(n) }), "projects"],
  ["hours of a replaced token", "rotateToken", 168, (n) => ({ overlap_hours: n }), "overlap_hours"],
  ["characters of a release's message", "createRelease", 1_000, (n) => ({ message: letters(n) }), "message"],
  [
    "bytes of a file's path",
    "createRelease",
    512,
    (n) => release({ files: [{ ...file, path: letters(n) }] }),
    "files/0/path",
  ],
  [
    "deltas of a file",
    "createRelease",
    3,
    (n) => release({ files: [{ ...file, deltas: several(n, delta) }] }),
    "files/0/deltas",
  ],
  [
    "immutable patterns",
    "createRelease",
    10,
    (n) => settings({ immutable: several(n, (_, index) => `assets/${index}/**`) }),
    "settings/immutable",
  ],
  [
    "characters of an immutable pattern",
    "createRelease",
    100,
    (n) => settings({ immutable: [letters(n)] }),
    "settings/immutable/0",
  ],
  [
    "preloaded files",
    "createRelease",
    3,
    (n) => settings({ preload: several(n, (_, index) => `${index}.wasm`) }),
    "settings/preload",
  ],
  [
    "characters of a preloaded path",
    "createRelease",
    100,
    (n) => settings({ preload: [letters(n)] }),
    "settings/preload/0",
  ],
])("%s: of %s %i, and not one more", (_, name, most, changes, place) => {
  expect(allPlacesOf(name, exampleWith(name, changes(most)))).toEqual([]);
  expect(allPlacesOf(name, exampleWith(name, changes(most + 1)))).toEqual([place]);
});

test("longer lists than one request may have are refused", () => {
  const files = Array.from({ length: limits.filesPerRelease + 1 }, (_, index) => ({ ...file, path: `${index}` }));
  expect(placesOf("createRelease", { files })).toEqual(["files"]);
  const projects = slugs(limits.projectsPerToken + 1);
  expect(placesOf("createToken", exampleWith("createToken", { projects }))).toEqual(["projects"]);
});

test.each<[RouteName, object]>([
  ["updateMe", { name: "Zoë 🚀", display_name: null, avatar: null, bio: "two\nlines" }],
  ["updateMe", { avatar: "HTTPS://images.example:8443/a%20b.png?x=1" }],
  ["createToken", { projects: null, scopes: ["projects", "publish"], expires_at: "2026-12-01T00:00:00+01:00" }],
  [
    "createRelease",
    { files: [file, { ...file, path: "copy.html" }], picture: undefined, settings: { isolation: true } },
  ],
])("%s takes %j", (name, changes) => {
  expect(placesOf(name, exampleWith(name, changes))).toEqual([]);
});

test("white space around a name is not part of it", () => {
  expect(z.parse(routes.updateMe.body, { name: " Ada  Lovelace\t" })).toEqual({ name: "Ada  Lovelace" });
});

test.each([
  [{}, { limit: 100 }],
  [
    { limit: "7", cursor: "c" },
    { limit: 7, cursor: "c" },
  ],
])("the parameters %j of a list are %j", (query, read) => {
  expect(z.safeParse(routes.listEvents.query, query).data).toEqual(read);
});

test.each<[RouteName, object, string]>([
  ["createToken", { expires_in_days: 0 }, "expires_in_days: must be at least 1"],
  ["createToken", { expires_in_days: 366 }, "expires_in_days: must be at most 365"],
  ["createToken", { scopes: ["publish", "publish"] }, "scopes: must not repeat a scope"],
  ["createToken", { projects: ["dunes", "dunes"] }, "projects: must not repeat a project"],
  ["rotateToken", { overlap_hours: 0 }, "overlap_hours: must be at least 1"],
  ["rotateToken", { overlap_hours: 169 }, "overlap_hours: must be at most 168"],
  ["createPublisher", { events: ["push", "push"] }, "events: must not repeat an event"],
  ["createRelease", { files: [{ ...file, size: -1 }], picture: undefined }, "files/0/size: must not be negative"],
  [
    "createRelease",
    { files: [{ ...file, size: 600e6 }], picture: undefined },
    "files/0/size: must be at most 524288000 bytes",
  ],
  ["approveAuthorization", { code_challenge_method: "plain" }, "code_challenge_method: must be S256"],
])("%s says to %j which bound it passes: %s", (name, changes, text) => {
  const { error } = z.safeParse((routes[name] as Route).body ?? z.never(), exampleWith(name, changes));
  expect(error?.issues.map(({ path, message }) => `${path.join("/")}: ${message}`)).toEqual([text]);
});

test.each([
  [{ limit: "x" }, "must be a whole number"],
  [{ limit: "1.5" }, "must be a whole number"],
  [{ limit: "0" }, "must be at least 1"],
  [{ limit: "101" }, "must be at most 100"],
])("a list says to %j which bound it passes: %s", (query, text) => {
  const { error } = z.safeParse(routes.listEvents.query, query);
  expect(error?.issues.map(({ message }) => message)).toEqual([text]);
});

test.each([
  [[], "must have an entry"],
  [Array(limits.disclosedTokensPerCall + 1).fill({ token: "t" }), "must have at most 100 entries"],
])("a disclosure of too few or too many tokens says so", (tokens, text) => {
  const { error } = z.safeParse(routes.discloseTokens.body, { tokens });
  expect(error?.issues.map(({ message }) => message)).toEqual([text]);
});
