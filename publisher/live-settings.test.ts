import { expect, test } from "@jest/globals";
import { defaultSettings, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import type { Client } from "../contract/client.ts";
import { chosenSettings, publishSettings, type SettingChoices } from "./live-settings.ts";

/* Settings that neither a file nor a build decides. */

const live: ReleaseSettings = {
  isolation: "credentialless",
  immutable: ["assets/**"],
  spa: true,
  frame: ["https://portal.example"],
  preload: ["index.wasm"],
  updates: "whole",
};

test.each<[SettingChoices, Partial<ReleaseSettings>]>([
  [{}, {}],
  [{ isolation: false }, { isolation: false }],
  [{ isolation: true }, {}],
  [{ spa: false }, { spa: false }],
  [{ immutable: false }, { immutable: [] }],
  [{ frame: "nobody" }, { frame: "nobody" }],
  [{ whole: false }, { updates: "content" }],
])("who chooses %j changes %j alone of what is live", (choices, changed) => {
  expect(chosenSettings(live, choices)).toEqual({ ...live, ...changed });
});

test("a release with other settings takes the place of the one whose files it has, and of no other", async () => {
  const calls: unknown[] = [];
  const call = async (line: string, { body }: { body: unknown }) => {
    calls.push([line, body]);
    return { release: { id: "r2", status: "live" }, edge: "updated" };
  };
  const client = { call } as unknown as Client;
  const settings = { ...defaultSettings, spa: true };
  await publishSettings(client, { slug: "game", current: "r1", settings });
  expect(calls).toEqual([
    ["POST /projects/:slug/releases", { files_of: "r1", settings: { spa: true } }],
    ["POST /projects/:slug/releases/:id/publish", { expect_current: "r1" }],
  ]);
});
