import { randomBytes } from "node:crypto";
import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fetchedPackage, gameLibraries } from "../../../test/support/fetched-package.ts";

const scripts = {
  phaser: ["dist/phaser.min.js"],
  three: ["build/three.module.js", "build/three.core.js", "build/three.webgpu.js"],
};

/**
 * A game of 200 files and 30 MB: four scripts of real libraries (5 MB), 46 levels of JSON, and 150 pictures and sounds,
 * which do not compress. Last touched an hour ago.
 *
 * @param isCompressible false names everything like a picture, so that the same bytes get no variants
 */
export async function makeTypicalGame(folder: string, isCompressible: boolean): Promise<void> {
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const [name, content] of await filesOf()) {
    const path = join(folder, isCompressible || name === "index.html" ? name : `${name}.webp`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await utimes(path, longAgo, longAgo);
  }
}

async function filesOf(): Promise<[string, string | Buffer][]> {
  const code = (["phaser", "three"] as const).flatMap((library) => {
    const folder = fetchedPackage(gameLibraries[library]);
    return scripts[library].map(
      async (path): Promise<[string, Buffer]> => [`${library}/${path}`, await readFile(join(folder, path))],
    );
  });
  const levels = Array.from({ length: 46 }, (_, index): [string, string] => [`levels/${index}.json`, level(index)]);
  const media = Array.from({ length: 149 }, (_, index): [string, Buffer] => [
    index % 3 === 0 ? `sounds/${index}.ogg` : `pictures/${index}.png`,
    randomBytes(164_000),
  ]);
  return [
    ["index.html", "<!doctype html><title>A typical game</title>"],
    ...(await Promise.all(code)),
    ...levels,
    ...media,
  ];
}

/** A map of tiles. */
function level(seed: number): string {
  const tiles = Array.from({ length: 6_000 }, (_, index) => ((index * 7 + seed * 13) % 61) % 17);
  return JSON.stringify({ name: `Level ${seed}`, width: 100, height: 60, tiles });
}
