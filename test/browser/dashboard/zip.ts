import { BlobWriter, TextReader, ZipWriter } from "@zip.js/zip.js/index-native.js";

/** A zip with these files. */
export async function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const writer = new ZipWriter(new BlobWriter(), { useWebWorkers: false });
  for (const [path, text] of Object.entries(files)) await writer.add(path, new TextReader(text));
  return Buffer.from(await (await writer.close()).arrayBuffer());
}
