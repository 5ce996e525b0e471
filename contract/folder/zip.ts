import { BlobReader, configure, type Entry, type FileEntry, ZipReader } from "@zip.js/zip.js/index-native.js";
import { limits } from "../api/limits.ts";
import { isLitter } from "./ignore-rules.ts";
import { isUnmarked, namesOf } from "./zip-names.ts";
import { ZipProblem } from "./zip-problem.ts";

/*
 * Reads a zip by its central directory, from the disk: only the file that is hashed or sent is unpacked, piece by piece. What
 * another program would unpack otherwise is refused: encrypted files, links, ambiguous and overlapping entries, paths that leave
 * the folder (contract/api/releases/manifest-rules.ts), more bytes than the directory says.
 */

// Browsers and Node unpack by themselves, and the dashboard's reader is a worker already.
configure({ useWebWorkers: false, useCompressionStream: true });

const symbolicLink = 0o12;

export interface ZipFile {
  /** Relative, `/`-separated, in Unicode normalisation form C. */
  readonly path: string;
  /** In bytes, unpacked. */
  readonly size: number;
  /** The zip does not say how its names are written, and others are possible. */
  readonly isNameGuessed?: true;
  /** The bytes, anew with each call. Fails with a {@link ZipProblem} if they are not what the directory says. */
  stream(): ReadableStream<Uint8Array>;
}

/**
 * The files of a zip, but what macOS and Windows add, without the one folder that everything is in.
 *
 * @throws ZipProblem for what is no zip, or cannot be unpacked safely
 */
export async function filesOfZip(zip: Blob): Promise<ZipFile[]> {
  const entries = await entriesOf(zip);
  // More files than a release can have, and those that are left out of it, are no game.
  if (entries.length > 5 * limits.filesPerRelease)
    throw new ZipProblem("The zip has more than 100,000 files. Publish the folder that the build wrote.");
  const files = withNames(entries).filter(({ filename, directory }) => !directory && !isLitter(filename));
  const places = [...files.flatMap((file) => entryProblem(file) ?? []), ...twins(files)];
  if (places.length > 0) throw new ZipProblem("The zip cannot be published. Pack it again without these.", places);
  const total = files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
  if (total > limits.bytesPerRelease)
    throw new ZipProblem("The zip unpacks to more than 10 GiB, the limit. Leave out what players do not load.");
  const prefix = commonFolder(files.map(({ filename }) => filename));
  return files.map((file) => ({
    ...fileOf(file.entry, file.filename.slice(prefix.length)),
    ...(file.isNameGuessed && { isNameGuessed: true as const }),
  }));
}

async function entriesOf(zip: Blob) {
  const reader = new ZipReader(new BlobReader(zip), { strictness: "balanced", checkOverlappingEntry: true });
  try {
    return await reader.getEntries();
  } catch {
    throw new ZipProblem("This is no zip file that can be read. Pack the folder again, or publish the folder itself.");
  }
}

interface NamedEntry {
  readonly entry: FileEntry;
  readonly filename: string;
  readonly directory: boolean;
  readonly isNameGuessed: boolean;
}

/**
 * Entries with the names that their writer meant: PowerShell separates folders by backslashes, and not all names are UTF-8. @throws
 * ZipProblem
 */
function withNames(entries: readonly Entry[]): NamedEntry[] {
  const unmarked = entries.filter(
    ({ filenameUTF8, extraFieldUnicodePath, rawFilename }) =>
      !filenameUTF8 && !extraFieldUnicodePath?.valid && isUnmarked(rawFilename),
  );
  const asRead = unmarked.map(({ filename }) => filename);
  const read = namesOf(
    unmarked.map(({ rawFilename }) => rawFilename),
    asRead,
  );
  if (read === undefined)
    throw new ZipProblem(
      "The zip does not say how its names are written, so they would be published as other names. Publish the folder itself, or pack it with names in UTF-8.",
      asRead.map((name) => `${name}: may have another name`),
    );
  const names = new Map(unmarked.map((entry, index) => [entry, read.names[index] ?? ""]));
  return entries.map((entry) => {
    const name = (names.get(entry) ?? entry.filename).replaceAll("\\", "/");
    const isNameGuessed = names.has(entry) && !read.isCertain;
    const directory = entry.directory || name.endsWith("/");
    return { entry: entry as FileEntry, filename: normalised(name), directory, isNameGuessed };
  });
}

/** The name as it is judged and published: `tar -a -cf game.zip .` writes `./index.html`, and other programs write `a//b`. */
function normalised(name: string): string {
  const segments = name.split("/").filter((segment, index) => segment !== "." && (segment !== "" || index === 0));
  return segments.join("/").normalize("NFC");
}

/** Methods that no browser unpacks (APPNOTE.TXT, section 4.4.5); Windows writes the first one for large files. */
const methods: Readonly<Partial<Record<number, string>>> = {
  9: "Deflate64",
  12: "bzip2",
  14: "LZMA",
  93: "Zstandard",
  95: "xz",
  98: "PPMd",
};
const readMethods: readonly number[] = [0, 8];

function entryProblem({ entry, filename }: NamedEntry): string | undefined {
  const { encrypted, externalFileAttributes, uncompressedSize, compressionMethod: method } = entry;
  if (filename === "") return `${entry.filename}: has no name`;
  if (encrypted) return `${filename}: is encrypted`;
  if (!readMethods.includes(method))
    return `${filename}: is compressed with ${methods[method] ?? `method ${method}`}, which browsers cannot unpack; choose Deflate in the program that packs it`;
  if ((((externalFileAttributes >>> 16) >>> 12) & 0o17) === symbolicLink) return `${filename}: is a symbolic link`;
  if (filename.split(/[/\\]/).includes("..") || /^(?:[/\\]|[a-z]:)/i.test(filename))
    return `${filename}: leaves the folder`;
  if (uncompressedSize > limits.bytesPerFile) return `${filename}: is larger than 500 MiB, the limit for a file`;
  return undefined;
}

/** Names that are one after they were normalised: which file is meant cannot be told. */
function twins(files: readonly NamedEntry[]): string[] {
  const seen = new Set<string>();
  return files.flatMap(({ filename }) => {
    if (seen.has(filename)) return [`${filename}: is in the zip twice`];
    seen.add(filename);
    return [];
  });
}

/** The one folder that everything is in, with its slash; empty if files lie beside it. */
function commonFolder([first = "", ...more]: readonly string[]): string {
  const folder = first.slice(0, first.indexOf("/") + 1);
  return more.every((name) => name.startsWith(folder)) ? folder : "";
}

function fileOf(entry: FileEntry, path: string): ZipFile {
  const stream = () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const out = writable.getWriter();
    // Fails what reads the stream, unless that has failed already.
    const fail = () => out.abort(damaged(path)).catch(() => {});
    const into = new WritableStream<Uint8Array>({
      write: (chunk) => out.write(chunk),
      close: () => out.close(),
      abort: fail,
    });
    entry.getData(into, { checkSignature: true }).catch(fail);
    return readable;
  };
  return { path, size: entry.uncompressedSize, stream };
}

function damaged(path: string): ZipProblem {
  return new ZipProblem("The zip is damaged, or changed while it was read. Pack the folder again.", [
    `${path}: cannot be unpacked`,
  ]);
}
