import type { StoredFile } from "../../../contract/folder/chunks.ts";
import { isWithin } from "../../../contract/folder/file-rules.ts";
import { CopyMaker, type CopyStore, type KnownCopies } from "../../../publisher/copies.ts";
import type { FileFacts } from "../../../publisher/facts.ts";
import { copiesOf, manifestFiles } from "../../../publisher/manifest.ts";
import type { Platform } from "../../../publisher/ports.ts";
import { chosenFiles, prepare } from "../../../publisher/prepare.ts";
import type { Progress, Tally } from "../../../publisher/progress.ts";
import { selectedByItself } from "../../../publisher/selection.ts";
import type { SourceFile } from "../../../publisher/source.ts";
import { wordsFor } from "./offers.ts";
import type { Entry, Preparation, PreparedFolder, Reading } from "./protocol.ts";
import { type BlobFile, fileOf } from "./source.ts";
import { spool } from "./spool.ts";

/** Facts and copies of files from an earlier preparation of the same selection. */
export class Kept implements CopyStore<BlobFile> {
  readonly facts = new Map<SourceFile["stream"], FileFacts>();
  readonly #copies: KnownCopies = new Map();
  readonly #files = new Map<string, BlobFile>();

  read(): KnownCopies {
    return new Map(this.#copies);
  }

  write(copies: KnownCopies): void {
    for (const [of, copy] of copies) this.#copies.set(of, copy);
  }

  find(sha256: string): BlobFile | undefined {
    return this.#files.get(sha256);
  }

  async keep(
    sha256: string,
    bytes: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>,
    size: number,
  ): Promise<BlobFile> {
    const file = fileOf(sha256, bytes instanceof Uint8Array ? new Blob([bytes]) : await spool(bytes, size));
    this.#files.set(sha256, file);
    return file;
  }
}

interface PickedOptions extends Preparation {
  readonly platform: Platform;
  onReading(reading: Reading): void;
  readonly kept: Kept;
}

interface PickedRelease {
  readonly prepared: PreparedFolder;
  /** Files, copies and indexes by their SHA-256. */
  readonly contents: ReadonlyMap<string, BlobFile>;
  /** Files and copies that are sent in parts. */
  readonly large: readonly StoredFile[];
}

/**
 * Finds out what of a selection is published, by the rules of `svc publish`, hashes it and compresses what players load compressed.
 *
 * @throws Refused for a folder that cannot be a release, with a way on if there is one
 */
export async function preparePicked(
  picked: readonly BlobFile[],
  { slug, platform, onReading, choices, beginning, kept }: PickedOptions,
): Promise<PickedRelease> {
  const { files: listed, file, secrets, ignored, advice } = await selectedByItself(picked, { ...choices, slug });
  const shared = { platform, progress: progressOf(onReading) };
  const prepared = await prepare(listed, {
    ...{ ...shared, earlierFacts: kept.facts, file, choices, beginning, words: wordsFor(file) },
    ofBytes: (path, bytes) => fileOf(path, new Blob([bytes])),
  });
  const maker = new CopyMaker({ ...shared, store: kept });
  const { variants, indexes, large } = await copiesOf(prepared.files, maker, platform);
  const { files, keptPicture: _, ...rest } = prepared;
  const copies = (await maker.toUpload(files, new Set([...variants.values()].map(({ sha256 }) => sha256)))) ?? [];
  const objects = [...indexes.values()].map(({ sha256, bytes }) => ({ ...fileOf("index", new Blob([bytes])), sha256 }));
  return {
    prepared: {
      ...{ ...rest, file, secrets, leftOut: ignored.length },
      files: manifestFiles(prepared, { variants, indexes }),
      entries: entriesOf(listed, choices),
      advice: [...advice, ...prepared.advice],
    },
    contents: new Map([...objects, ...copies, ...files].map((content) => [content.sha256, content])),
    large,
  };
}

function progressOf(onReading: (reading: Reading) => void): Progress {
  let reading: Reading = { step: "reading", bytes: 0, totalFiles: 0, totalBytes: 0 };
  return {
    start: (phase, { files: totalFiles, bytes: totalBytes }) => {
      reading = { step: phase === "Compressing" ? "compressing" : "reading", bytes: 0, totalFiles, totalBytes };
      onReading(reading);
    },
    add: ({ bytes }: Tally) => {
      reading = { ...reading, bytes: reading.bytes + bytes };
      onReading(reading);
    },
    end: () => {},
  };
}

/** What is at the top of the folder, also what is left out. */
function entriesOf(listed: readonly BlobFile[], choices: Preparation["choices"]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const { path, size } of chosenFiles(listed, { ...choices, leftOut: [] })) {
    const name = path.includes("/") ? path.slice(0, path.indexOf("/") + 1) : path;
    const { files = 0, bytes = 0 } = entries.get(name) ?? {};
    const isLeftOut = choices.leftOut.some((one) => isWithin(name, one));
    entries.set(name, { name, files: files + 1, bytes: bytes + size, isLeftOut });
  }
  return [...entries.values()];
}
