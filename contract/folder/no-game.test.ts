import { expect, test } from "@jest/globals";
import { noGameIn } from "./no-game.ts";

test.each([
  [["game.zip"], "archive_inside", "has nothing but game.zip, an archive that svc does not unpack"],
  [["game.tar.gz"], "archive_inside", "has nothing but game.tar.gz, an archive that svc does not unpack"],
  [["MyGame.exe", "UnityPlayer.dll"], "installed_game", "has MyGame.exe, a game that is installed on Windows"],
  [["My.app/Contents/Info.plist"], "installed_game", "installed on macOS"],
  [["game.x86_64", "game.pck"], "installed_game", "installed on Linux"],
  [["game.apk"], "installed_game", "installed on Android"],
  [["cover.png"], "pictures", "has nothing but cover.png, a picture"],
  [["a.png", "art/b.jpg"], "pictures", "has nothing but pictures"],
  [["Assets/a.cs", "ProjectSettings/ProjectVersion.txt"], "engine_project", "a project of Unity"],
  [["game/ProjectSettings/ProjectVersion.txt", "b.exe"], "engine_project", "a project of Unity"],
  [["project.godot", "main.tscn"], "engine_project", "a project of Godot"],
  [["game.rmmzproject", "data/a.json"], "engine_project", "a project of RPG Maker"],
  [["Game.rvproj2"], "engine_project", "a project of RPG Maker"],
  [["Game.yyp"], "engine_project", "a project of GameMaker"],
  [["game.c3p"], "engine_project", "a project of Construct"],
  [["main.lua", "conf.lua"], "engine_project", "a project of LÖVE"],
])("%j: %s, it %s", (paths, code, what) => {
  const found = noGameIn(paths);
  expect(found?.code).toBe(code);
  expect(found?.what).toContain(what);
});

test.each([[[]], [["game.js", "a.png"]], [["data.zip", "game.js"]], [["notes.txt"]]])("%j says nothing", (paths) => {
  expect(noGameIn(paths)).toBeUndefined();
});
