import { expect, test } from "@jest/globals";
import { defaultSettings, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import { ApiError } from "../contract/api-error.ts";
import type { Client } from "../contract/client.ts";
import type { ProjectFile } from "../contract/folder/project-file.ts";
import { assertStillDecided, DecisionConflict, freshBeginning, readBeginning, undecidedAdvice } from "./beginning.ts";
import type { Choices } from "./settings.ts";

const nobody = { left_out: [], index: null, picture: null, isolation_off: false };

/** A service whose project has three releases, of which r1 went live last. */
function serviceWith(release: object, { status = "live", current = "r1" as string | null } = {}): Client {
  const call = async (line: string, { params: { id = "" } }: { params: { id?: string } }) => {
    if (line === "GET /projects/:slug")
      return { current_release: current && { id: current }, picture_url: "https://p" };
    if (line === "GET /projects/:slug/releases")
      return {
        releases: [
          { id: "r3", status: "open", published_at: null },
          { id: "r2", status: status === "live" ? "published" : status, published_at: "2026-01-01" },
          { id: "r1", status, published_at: "2026-01-02" },
        ],
      };
    if (id !== (current ?? "r1")) throw new Error(`${id} was not live last`);
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
  expect(await readBeginning(serviceWith(planted), "bounce")).toEqual({
    current: "r1",
    live: planted.settings,
    decided: { ...defaultSettings, spa: true, isolationOff: false },
    choices: { leftOut: ["notes/"] },
    undecidedPaths: ["credits.html"],
  });
});

test("if nothing is live, it begins with what was decided until then", async () => {
  const offline = serviceWith(planted, { status: "published", current: null });
  expect(await readBeginning(offline, "bounce")).toMatchObject({
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
  expect(await readBeginning(failing("project_not_found"), "bounce")).toBe(freshBeginning);
  await expect(readBeginning(failing("token_revoked"), "bounce")).rejects.toThrow("token_revoked");
  expect(await readBeginning(serviceWith({}, { status: "open", current: null }), "bounce")).toBe(freshBeginning);
});

test("another decision since the beginning is noticed, another live release alone is none", async () => {
  const earlier = await readBeginning(serviceWith(planted), "bounce");
  await assertStillDecided(serviceWith(planted, { current: "r2" }), "bounce", earlier);
  const decided = { ...planted.decided, settings: defaultSettings };
  const failing = assertStillDecided(serviceWith({ ...planted, decided }), "bounce", earlier);
  await expect(failing).rejects.toEqual(new DecisionConflict("r1"));
});

test.each<[string, { file?: ProjectFile; choices?: Choices; next?: Partial<ReleaseSettings> }, string[]]>([
  ["nobody", {}, ["immutable", "frame"]],
  ["svc.toml, against it", { file: { frame: "everybody" } }, ["immutable"]],
  ["the person, against it", { choices: { leftOut: [], immutable: false } }, ["frame"]],
  ["svc.toml, for it", { next: { frame: planted.settings.frame } }, ["immutable"]],
])("settings that only the live release has are lost, but what was decided by %s", (_, given, lost) => {
  const { file = {}, choices = { leftOut: [] }, next } = given;
  const beginning = { live: planted.settings, decided: { ...defaultSettings, spa: true }, undecidedPaths: ["notes/"] };
  const settings = { ...defaultSettings, spa: true, ...next };
  const advice = { code: "settings_undecided", places: ["notes/"], settings: lost };
  expect(undecidedAdvice(beginning, { file, choices, next: settings })).toEqual([advice]);
  const same = { file, choices, next: planted.settings };
  expect(undecidedAdvice({ ...beginning, undecidedPaths: [] }, same)).toEqual([]);
});
