import type { SavedFile } from "./saves-file.ts";

/*
 * The origin private file system (https://fs.spec.whatwg.org/).
 */

/** Undefined if the browser has none, as WebKitGTK and private windows. */
async function rootFolder(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await navigator.storage?.getDirectory?.();
  } catch (error) {
    // Browsers that have the function and not the file system refuse with one of these.
    if (error instanceof DOMException && ["SecurityError", "UnknownError", "NotSupportedError"].includes(error.name))
      return undefined;
    throw error;
  }
}

/** All files, and the folders before what is in them. */
export async function readFiles(): Promise<SavedFile[]> {
  const root = await rootFolder();
  return root === undefined ? [] : await readFolder(root, []);
}

async function readFolder(folder: FileSystemDirectoryHandle, path: readonly string[]): Promise<SavedFile[]> {
  const files: SavedFile[] = [];
  for await (const [name, handle] of folder.entries()) {
    const inner = [...path, name];
    if (handle.kind === "directory") {
      const folder = handle as FileSystemDirectoryHandle;
      files.push({ path: inner, content: undefined }, ...(await readFolder(folder, inner)));
    } else files.push({ path: inner, content: await (handle as FileSystemFileHandle).getFile() });
  }
  return files;
}

/** Whether a page of this browser can write such files: Safari before 26 lets workers alone. */
export async function canWriteFiles(): Promise<boolean> {
  return (await rootFolder()) !== undefined && "createWritable" in FileSystemFileHandle.prototype;
}

/** @throws DOMException if another tab has one of them open for itself */
export async function checkFilesAreClosed(): Promise<void> {
  const root = await rootFolder();
  if (root !== undefined) await checkFolder(root);
}

async function checkFolder(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const handle of folder.values()) {
    if (handle.kind === "directory") await checkFolder(handle as FileSystemDirectoryHandle);
    else await (await (handle as FileSystemFileHandle).createWritable({ keepExistingData: true })).abort();
  }
}

/** Puts these files in place of all that are there. */
export async function replaceFiles(files: readonly SavedFile[]): Promise<void> {
  const root = await rootFolder();
  if (root === undefined) return;
  const names: string[] = [];
  for await (const name of root.keys()) names.push(name);
  for (const name of names) await root.removeEntry(name, { recursive: true });
  for (const { path, content } of files) {
    let folder = root;
    const folders = content === undefined ? path : path.slice(0, -1);
    for (const name of folders) folder = await folder.getDirectoryHandle(name, { create: true });
    if (content === undefined) continue;
    const handle = await folder.getFileHandle(path.at(-1) ?? "", { create: true });
    const writable = await handle.createWritable();
    await writable.write(content);
    await writable.close();
  }
}
