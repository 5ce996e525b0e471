/*
 * What a folder or zip without index.html is instead of a game that browsers play, found by the names of its files.
 */

/** A selection that is no game, with the two sentences for whoever chose it. */
export interface NoGame {
  readonly code: "archive_inside" | "installed_game" | "engine_project" | "pictures";
  /** Continues a sentence about the selection. */
  readonly what: string;
  /** What to do next. */
  readonly next: string;
}

const archive = /\.(?:zip|rar|7z|tar|tgz|tbz2?|txz|gz|bz2|xz|zst)$/i;
const picture = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp|psd|aseprite|blend|kra|xcf)$/i;
/** A game that is installed, and its system. */
const installed: readonly (readonly [RegExp, string])[] = [
  [/\.(?:exe|msi)$/i, "Windows"],
  [/\.app\/Contents\/|\.(?:dmg|pkg)$/i, "macOS"],
  [/\.(?:AppImage|x86_64|deb|rpm)$/i, "Linux"],
  [/\.(?:apk|aab)$/i, "Android"],
  [/\.ipa$/i, "iOS"],
];

/** A file that only projects of an engine have, the engine, and where it exports for browsers. */
const projects: readonly (readonly [RegExp, string, string])[] = [
  [/(?:^|\/)ProjectSettings\/ProjectVersion\.txt$/, "Unity", "File > Build Profiles > Web > Build"],
  [/(?:^|\/)project\.godot$/, "Godot", "Project > Export > Web, named index.html"],
  [/\.(?:rmmzproject|rpgproject)$/i, "RPG Maker", "File > Deployment > Web browsers"],
  [
    /\.(?:rvproj2?|rxproj)$|(?:^|\/)RPG_RT\.ldb$/i,
    "RPG Maker",
    "RPG Maker MV or MZ, as older ones export for Windows alone",
  ],
  [/\.yyp$/i, "GameMaker", "target HTML5 or GX.games, Create Executable"],
  [/\.(?:c3p|c3proj|capx)$/i, "Construct", "Menu > Project > Export > Web (HTML5)"],
  [/\.uproject$/i, "Unreal Engine", "another engine, as it no longer exports for browsers"],
  [/\.sb3$/i, "Scratch", "packager.turbowarp.org"],
  [/(?:^|\/)game\/script\.rpy$/, "Ren'Py", "launcher > Build > Web"],
  [/\.defold$|(?:^|\/)game\.project$/, "Defold", "Project > Bundle > HTML5"],
  [/(?:^|\/)(?:main\.lua|[^/]+\.love)$/, "LÖVE", "love.js, which writes a folder with index.html"],
  [/\.(?:tw2|twee|tw)$/i, "Twine", "Build > Publish to File"],
];

/** @param paths of what would be published, without an index.html; undefined if nothing stands out */
export function noGameIn(paths: readonly string[]): NoGame | undefined {
  const [first = "", ...more] = paths;
  if (more.length === 0 && archive.test(first))
    return {
      code: "archive_inside",
      what: `has nothing but ${first}, an archive that svc does not unpack`,
      next: "Unpack it, and publish the folder that has the game's index.html, or a zip of that folder.",
    };
  for (const [mark, engine, way] of projects)
    if (paths.some((path) => mark.test(path)))
      return {
        code: "engine_project",
        what: `is a project of ${engine}, not a game that browsers can play`,
        next: `Export it for browsers (${way}), and publish the folder that is written.`,
      };
  for (const [mark, system] of installed) {
    const program = paths.find((path) => mark.test(path));
    if (program !== undefined)
      return {
        code: "installed_game",
        what: `has ${program}, a game that is installed on ${system}, and nothing that browsers can play`,
        next: "Export the game for browsers (Web or HTML5), and publish the folder that is written.",
      };
  }
  if (paths.length > 0 && paths.every((path) => picture.test(path)))
    return {
      code: "pictures",
      what: more.length === 0 ? `has nothing but ${first}, a picture` : "has nothing but pictures",
      next: "Publish the folder that has the game's index.html; its pictures belong into that folder.",
    };
  return undefined;
}
