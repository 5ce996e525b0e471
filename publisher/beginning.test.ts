import { expect, test } from "@jest/globals";
import { defaultSettings, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import { ApiError } from "../contract/api-error.ts";
import type { Client } from "../contract/client.ts";
import type { ProjectFile } from "../contract/folder/project-file.ts";
import { beginning, freshBeginning, otherBeginning, undecidedAdvice } from "./beginning.ts";
import type { Choices } from "./settings.ts";

const nobody = { left_out: [], index: null, picture: null, isolation_off: false };

/** A service whose project has one release. */
function serviceWith(release: object, { status = "live", current = "r1" as string | null } = {}): Client {
  const call = async (line: string) => {
    if (line === "GET /projects/:slug")
      return { current_release: current && { id: current }, picture_url: "https://p" };
    if (line === "GET /projects/:slug/releases")
      return { releases: [{ id: "r1", status, published_at: "2026-01-01" }] };
    return { settings: defaultSettings, choices: nobody, ...release };
  };
  return { call: call as unknown as Client["call"] } as Client;
}

const planted = {
  settings: { ...defaultSettings, frame: ["https://evil.example"], immutable: ["**"] },
  choices: { ...nobody, left_out: ["credits.html"] },
  decided: { settings: { ...defaultSettings, spa: true }, choices: { ...nobody, left_out: ["notes/"] } },
};

test("a publication begins with what a person decided, and not with what the live release has", async () => {
  expect(await beginning(serviceWith(planted), "bounce")).toEqual({
    current: "r1",
    live: planted.settings,
    decided: { ...defaultSettings, spa: true, isolationOff: false },
    choices: { leftOut: ["notes/"] },
    undecidedPaths: ["credits.html"],
  });
});

test("an API of before says nothing of decisions: then the release's own settings count", async () => {
  const { settings, choices } = planted;
  const begun = await beginning(serviceWith({ settings, choices }), "bounce");
  expect(begun.decided).toEqual({ ...settings, isolationOff: false });
  expect(begun).toMatchObject({ choices: { leftOut: ["credits.html"] }, undecidedPaths: [] });
});

test("if nothing is live, it begins with what was decided until then", async () => {
  const offline = serviceWith(planted, { status: "published", current: null });
  expect(await beginning(offline, "bounce")).toMatchObject({
    current: null,
    live: undefined,
    decided: { spa: true },
    undecidedPaths: [],
  });
});

test("a project that does not exist, or has no release, has nothing to begin with; other failures are thrown", async () => {
  const failing = (code: ApiError["code"]) => {
    const call = async () => Promise.reject(new ApiError({ code, detail: code }));
    return { call: call as Client["call"] } as Client;
  };
  expect(await beginning(failing("project_not_found"), "bounce")).toBe(freshBeginning);
  await expect(beginning(failing("token_revoked"), "bounce")).rejects.toThrow("token_revoked");
  expect(await beginning(serviceWith({}, { status: "open", current: null }), "bounce")).toBe(freshBeginning);
});

test("another decision since the beginning is noticed, another live release alone is none", async () => {
  const before = await beginning(serviceWith(planted), "bounce");
  expect(await otherBeginning(serviceWith(planted, { current: "r2" }), "bounce", before)).toBeUndefined();
  const decided = { ...planted.decided, settings: defaultSettings };
  expect(await otherBeginning(serviceWith({ ...planted, decided }), "bounce", before)).toMatchObject({ current: "r1" });
});

test.each<[string, { file?: ProjectFile; choices?: Choices; next?: Partial<ReleaseSettings> }, string[]]>([
  ["nobody", {}, ["immutable", "frame"]],
  ["svc.toml, against it", { file: { frame: "everybody" } }, ["immutable"]],
  ["the person, against it", { choices: { leftOut: [], immutable: false } }, ["frame"]],
  ["svc.toml, for it", { next: { frame: planted.settings.frame } }, ["immutable"]],
])("settings that only the live release has are lost, but what was decided by %s", (_, given, lost) => {
  const { file = {}, choices = { leftOut: [] }, next } = given;
  const begun = { live: planted.settings, decided: { ...defaultSettings, spa: true }, undecidedPaths: ["notes/"] };
  const settings = { ...defaultSettings, spa: true, ...next };
  const advice = { code: "settings_undecided", places: ["notes/"], settings: lost };
  expect(undecidedAdvice(begun, { file, choices, next: settings })).toEqual([advice]);
  const same = { file, choices, next: planted.settings };
  expect(undecidedAdvice({ ...begun, undecidedPaths: [] }, same)).toEqual([]);
});
