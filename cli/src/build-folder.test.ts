import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { writeFiles } from "../../test/support/cli/cli.ts";
import { buildFolderOf } from "./build-folder.ts";

const packageOf = (name: string) => JSON.stringify({ devDependencies: { [name]: "1.0.0" } });
const godot = (exported: string) =>
  `[preset.0]\nplatform="Linux"\nexport_path="a/game.x86_64"\n[preset.1]\nplatform="Web"\nexport_path="${exported}"\n`;
const unity = { "ProjectSettings/ProjectVersion.txt": "m_EditorVersion: 6000.2", "Assets/a.cs": "" };

test.each<[string, Readonly<Record<string, string>>, string, string | undefined]>([
  ["Vite", { "package.json": packageOf("vite"), "index.html": "", "public/index.html": "" }, "dist", "npm run build"],
  [
    "Vite with a folder of its own",
    { "package.json": packageOf("vite"), "vite.config.ts": 'build: { outDir: "./web/" }' },
    "web",
    "npm run build",
  ],
  [
    "Vite that writes elsewhere",
    { "package.json": packageOf("vite"), "vite.config.js": "outDir: '../dist'" },
    "dist",
    "npm run build",
  ],
  ["webpack", { "package.json": packageOf("webpack") }, "dist", "npm run build"],
  ["Parcel", { "package.json": packageOf("parcel") }, "dist", "npm run build"],
  [
    "create-react-app",
    { "package.json": packageOf("react-scripts"), "public/index.html": "" },
    "build",
    "npm run build",
  ],
  [
    "a bundler that wrote another usual folder",
    { "package.json": packageOf("webpack"), "build/index.html": "" },
    "build",
    "npm run build",
  ],
  [
    "Godot",
    { "project.godot": "", "export_presets.cfg": godot("export/html/index.html") },
    "export/html",
    "Project > Export > Web in Godot",
  ],
  ["Godot without a preset", { "project.godot": "" }, "build/web", "Project > Export > Web in Godot"],
  [
    "Godot that exports elsewhere",
    { "project.godot": "", "export_presets.cfg": godot("../web/index.html") },
    "build/web",
    "Project > Export > Web in Godot",
  ],
  ["Unity", unity, "Build", "File > Build Profiles > Web in Unity"],
  [
    "Unity that was built",
    { ...unity, "Builds/WebGL/index.html": "" },
    "Builds/WebGL",
    "File > Build Profiles > Web in Unity",
  ],
  ["no tool", { "public/index.html": "" }, "public", undefined],
  ["a page alone", { "index.html": "" }, ".", undefined],
  ["a package.json that is no JSON", { "package.json": "{", "index.html": "" }, ".", undefined],
])("%s", (_, files, dir, writtenBy) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-build-folder-"));
  try {
    writeFiles(folder, files);
    expect(buildFolderOf(folder)).toEqual({ dir, writtenBy });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
