import { BlobReader, configure, type Entry, type FileEntry, ZipReader } from "@zip.js/zip.js/index-native.js";
import { limits } from "../api/limits.ts";
import { isLitter } from "./ignore-rules.ts";
import { isUnmarked, namesOf } from "./zip-names.ts";
import { ZipProblem } from "./zip-problem.ts";

/*
 * Reads a zip by its central directory, from the disk: only the file that is hashed or sent is unpacked, piece by piece. What
 * another program would unpack otherwise is refused: encrypted files, links, ambiguous and overlapping entries, paths that leave
 * the folder (contract/api/manifest-rules.ts), more bytes than the directory says.
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
  const places = files.flatMap((file) => entryProblem(file) ?? []);
  if (places.length > 0) throw new ZipProblem("The zip cannot be published. Pack it again without these.", places);
  const total = files.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0);
  if (total > limits.bytesPerRelease)
    throw new ZipProblem("The zip unpacks to more than 10 GiB, the limit. Leave out what players do not load.");
  const prefix = commonFolder(files.map(({ filename }) => filename));
  return files.map((file) => ({
    ...fileOf(file.entry, file.filename.slice(prefix.length).normalize("NFC")),
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
    const filename = (names.get(entry) ?? entry.filename).replaceAll("\\", "/");
    const isNameGuessed = names.has(entry) && !read.isCertain;
    return { entry: entry as FileEntry, filename, directory: entry.directory || filename.endsWith("/"), isNameGuessed };
  });
}

function entryProblem({ entry, filename }: NamedEntry): string | undefined {
  const { encrypted, externalFileAttributes, uncompressedSize } = entry;
  if (encrypted) return `${filename}: is encrypted`;
  if ((((externalFileAttributes >>> 16) >>> 12) & 0o17) === symbolicLink) return `${filename}: is a symbolic link`;
  if (filename.split(/[/\\]/).includes("..") || /^(?:[/\\]|[a-z]:)/i.test(filename))
    return `${filename}: leaves the folder`;
  if (uncompressedSize > limits.bytesPerFile) return `${filename}: is larger than 500 MiB, the limit for a file`;
  return undefined;
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
