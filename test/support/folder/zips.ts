import {
  BlobWriter,
  TextReader,
  Uint8ArrayReader,
  ZipWriter,
  type ZipWriterAddDataOptions,
} from "@zip.js/zip.js/index-native.js";

/** A zip with these files. */
export async function zipOf(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: ZipWriterAddDataOptions = {},
): Promise<File> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false, ...options });
  for (const [path, content] of Object.entries(files))
    await writer.add(path, typeof content === "string" ? new TextReader(content) : new Uint8ArrayReader(content));
  return new File([await writer.close()], "game.zip");
}

/** Its bytes. */
export async function zipBytes(...zip: Parameters<typeof zipOf>): Promise<Buffer> {
  return Buffer.from(await (await zipOf(...zip)).arrayBuffer());
}

/** A zip with one file of this path, which no writer would write. */
export async function zipWithName(path: string | readonly number[]): Promise<File> {
  const to = typeof path === "string" ? new TextEncoder().encode(path) : Uint8Array.from(path);
  const placeholder = "x".repeat(to.length);
  const bytes = new Uint8Array(
    await (await zipOf({ [placeholder]: "1" }, { useUnicodeFileNames: false })).arrayBuffer(),
  );
  const from = new TextEncoder().encode(placeholder);
  for (let index = 0; index < bytes.length; index += 1)
    if (from.every((byte, offset) => bytes[index + offset] === byte)) bytes.set(to, index);
  return new File([bytes], "game.zip");
}

/** The same zip, with another length wherever it says the length. */
export async function sayingSize(zip: File, size: number, said: number): Promise<File> {
  const bytes = new Uint8Array(await zip.arrayBuffer());
  const view = new DataView(bytes.buffer);
  for (let index = 0; index + 4 <= bytes.length; index += 1)
    if (view.getUint32(index, true) === size) view.setUint32(index, said, true);
  return new File([bytes], "game.zip");
}

/** A zip whose one file says that it is compressed by another method. */
export async function zipOfMethod(method: number): Promise<File> {
  const bytes = new Uint8Array(await (await zipOf({ "index.html": "0".repeat(1_000) })).arrayBuffer());
  const view = new DataView(bytes.buffer);
  for (let index = 0; index + 12 <= bytes.length; index += 1) {
    // The headers of the file, and of its entry in the directory (APPNOTE.TXT, sections 4.3.7 and 4.3.12).
    if (view.getUint32(index, true) === 0x04034b50) view.setUint16(index + 8, method, true);
    if (view.getUint32(index, true) === 0x02014b50) view.setUint16(index + 10, method, true);
  }
  return new File([bytes], "game.zip");
}
