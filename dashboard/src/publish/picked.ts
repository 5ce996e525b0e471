import type { PickedFile, Selection } from "./protocol.ts";

/** Selection that a person has dropped: one folder, one zip, or several files and folders; undefined for text and the like. */
export async function pickedByDrop({ items, files: list }: DataTransfer): Promise<Selection | undefined> {
  // At once: the items are gone after the event.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const [only, ...more] = entries;
  // A file that another program gives has no entry.
  if (only === undefined) return pickedByInput(list);
  if (more.length > 0) return { kind: "folder", name: "", files: (await Promise.all(entries.map(filesOf))).flat() };
  const files = await filesOf(only);
  if (only.isDirectory) return { kind: "folder", name: only.name, files: files.map(withoutFolder) };
  return pickedFile(files[0]);
}

/** Selection that a person has chosen by a button. */
export function pickedByInput(list: FileList): Selection | undefined {
  const [first, ...more] = [...list].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
  if (first === undefined) return undefined;
  if (!first.path.includes("/")) return pickedFile(first);
  return { kind: "folder", name: first.path.split("/", 1)[0] ?? "", files: [first, ...more].map(withoutFolder) };
}

function pickedFile(picked: PickedFile | undefined): Selection | undefined {
  if (picked === undefined) return undefined;
  const { path: name, file } = picked;
  return /\.zip$/i.test(name) ? { kind: "zip", name, file } : { kind: "folder", name, files: [picked] };
}

/** The path in the folder that was picked, which is the first segment. */
function withoutFolder({ path, file }: PickedFile): PickedFile {
  return { path: path.slice(path.indexOf("/") + 1), file };
}

async function filesOf(entry: FileSystemEntry): Promise<PickedFile[]> {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path, file }];
  }
  const files: PickedFile[] = [];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // A browser gives a part of a large folder at a time.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return files;
    files.push(...(await Promise.all(part.map(filesOf))).flat());
  }
}
