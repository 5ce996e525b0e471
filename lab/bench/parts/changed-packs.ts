import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** An asset of a game, in the order of names. */
interface Asset {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Assets as textures and sounds are that an engine has compressed: 20 kB to 2 MB of random bytes. */
export function randomAssets(size: number): readonly Asset[] {
  const assets: Asset[] = [];
  for (let left = size; left > 0; ) {
    const length = Math.min(left, 20_000 + Math.floor(Math.random() ** 3 * 1_980_000));
    assets.push({ name: `b${String(assets.length).padStart(5, "0")}.bin`, bytes: randomBytes(length) });
    left -= length;
  }
  return assets;
}

/** Versions that follow the first one, each with a change to it. */
export const changes: Readonly<Record<string, (assets: readonly Asset[]) => readonly Asset[]>> = {
  "three assets changed": (assets) =>
    assets.map((asset, index) => {
      const isChanged = [0.2, 0.5, 0.8].some((place) => index === Math.floor(place * assets.length));
      // Some percent longer, so that everything behind it moves.
      return isChanged ? { ...asset, bytes: randomBytes(Math.ceil(asset.bytes.length * 1.03)) } : asset;
    }),
  "one asset added at the head": (assets) => [{ name: "a.bin", bytes: randomBytes(300_000) }, ...assets],
};

/** Packer of a kind of game: it puts the assets into one file. */
export interface Packer {
  readonly file: string;
  pack(assets: readonly Asset[], folder: string): Promise<Buffer>;
}

/** A file with the assets alone. */
export const plainPacker: Packer = {
  file: "world.pck",
  pack: async (assets) => Buffer.concat(assets.map(({ bytes }) => bytes)),
};

/** Godot's own exporter (Debian: godot3-server). */
export function godotPacker(program: string): Packer {
  return {
    file: "index.pck",
    async pack(assets, folder) {
      const [project, target] = [join(folder, "godot"), join(folder, "godot.pck")];
      await rm(project, { recursive: true, force: true });
      await mkdir(join(project, "assets"), { recursive: true });
      await writeFile(join(project, "project.godot"), 'config_version=4\n[application]\nconfig/name="Pack"\n');
      await writeFile(join(project, "export_presets.cfg"), godotPreset);
      for (const { name, bytes } of assets) await writeFile(join(project, "assets", name), bytes);
      const words = ["--path", project, "--export-pack", "pack", target];
      await run(program, words, { env: { PATH: process.env["PATH"], HOME: folder }, maxBuffer: 64 * 2 ** 20 });
      return await readFile(target);
    },
  };
}

const godotPreset = `[preset.0]
name="pack"
platform="Linux/X11"
runnable=true
custom_features=""
export_filter="all_resources"
include_filter="*.bin"
exclude_filter=""
export_path=""
patch_list=PoolStringArray(  )
script_export_mode=1
script_encryption_key=""
[preset.0.options]
custom_template/release=""
custom_template/debug=""
`;

/**
 * The .data of a Unity web build, by Unity's format (its editor is in no registry): a list of the files with their places, then the
 * files, of which the one with the assets is most.
 */
export const unityPacker: Packer = {
  file: "game.data",
  async pack(assets) {
    const files = [
      { name: "boot.config", bytes: Buffer.from("wait-for-native-debugger=0\n") },
      { name: "data.unity3d", bytes: Buffer.concat(assets.map(({ bytes }) => bytes)) },
      { name: "Il2CppData/Metadata/global-metadata.dat", bytes: Buffer.alloc(200_000, "metadata ") },
    ];
    const magic = Buffer.from("UnityWebData1.0\0");
    const headerBytes = magic.length + 4 + files.reduce((sum, { name }) => sum + 12 + name.length, 0);
    let place = headerBytes;
    const entries = files.map(({ name, bytes }) => {
      const entry = Buffer.concat([words(place, bytes.length, name.length), Buffer.from(name)]);
      place += bytes.length;
      return entry;
    });
    return Buffer.concat([magic, words(headerBytes), ...entries, ...files.map(({ bytes }) => bytes)]);
  },
};

function words(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, 4 * index);
  return buffer;
}
