import { deleteDatabases, readDatabases, resultOf, tryDatabase, waitUntilClosed, writeDatabase } from "./databases.ts";
import { canWriteFiles, checkFilesAreClosed, readFiles, replaceFiles } from "./private-files.ts";
import { makeSavesFile, ownDatabases, readSavesFile, type Saves, SavesFileError } from "./saves-file.ts";

/*
 * Everything that this origin keeps, read and replaced. What is replaced is copied first, into a database of this page. If the browser dies in the
 * middle, the copy says so at the next visit, and brings back what was there.
 */

/** Everything that games keep at this origin. */
export async function readSaves(): Promise<Saves> {
  const texts = Object.keys(localStorage)
    .toSorted()
    .map((key) => [key, localStorage.getItem(key) ?? ""] as const);
  return { databases: await readDatabases(), texts, files: await readFiles() };
}

/** A copy of what was here before saves were loaded. */
export interface Copy {
  readonly bytes: ArrayBuffer;
  readonly madeAt: Date;
  /** Whether all was written that was to take its place. */
  readonly isReplaced: boolean;
}

const copyName = `${ownDatabases}copy`;
const copyStore = "copy";

/** Undefined if there is none. */
export async function readCopy(): Promise<Copy | undefined> {
  // It must not be made by looking.
  const all = await indexedDB.databases();
  if (!all.some(({ name }) => name === copyName)) return undefined;
  return await inCopies("readonly", (store) => store.get(copyStore));
}

export async function removeCopy(): Promise<void> {
  await resultOf(indexedDB.deleteDatabase(copyName));
}

async function writeCopy(copy: Copy): Promise<void> {
  await inCopies("readwrite", (store) => store.put(copy, copyStore));
}

async function inCopies<Result>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const request = indexedDB.open(copyName, 1);
  request.addEventListener("upgradeneeded", () => void request.result.createObjectStore(copyStore));
  const database = await resultOf(request);
  try {
    // Strict: on the disk before anything is deleted.
    const transaction = database.transaction(copyStore, mode, { durability: "strict" });
    const done = new Promise<void>((resolve, reject) => {
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", () => reject(transaction.error));
    });
    const [result] = await Promise.all([resultOf(ask(transaction.objectStore(copyStore))), done]);
    return result;
  } finally {
    database.close();
  }
}

/** What can be done only by one tab at a time. @throws MovingError if another tab does it now */
async function alone<Result>(act: () => Promise<Result>): Promise<Result> {
  return await navigator.locks.request(`${ownDatabases}lock`, { ifAvailable: true }, async (lock) => {
    if (lock === null) throw new MovingError("Another tab has this page open and is loading saved games. Wait for it.");
    return await act();
  });
}

/** Why saves were not loaded. Its message is for a person, and says if what was here before is only in the copy. */
export class MovingError extends Error {
  override readonly name = "MovingError";
}

/**
 * Checks that this browser takes all of these saves, and changes nothing.
 *
 * @throws SavesFileError, MovingError
 */
export async function checkSaves({ databases, files }: Saves): Promise<void> {
  for (const database of databases) {
    try {
      await tryDatabase(database);
    } catch (error) {
      if (isFull(error)) throw new MovingError("There is not enough room in this browser.", { cause: error });
      throw new SavesFileError("invalid", "This file has something in it that this browser does not take.", {
        cause: error,
      });
    }
  }
  if (!(await canWriteFiles()) && (files.length > 0 || (await readFiles()).length > 0))
    throw new MovingError("This browser cannot write the files of this game. Try a newer one.");
}

function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === "QuotaExceededError";
}

/**
 * Puts these saves in place of everything that is here, of which a copy stays. If it fails, what was here is put back.
 *
 * @param host of this game
 * @param isOpenElsewhere called if it waits for another tab of the game
 * @throws MovingError
 */
export async function loadSaves(saves: Saves, host: string, isOpenElsewhere: () => void): Promise<void> {
  await alone(async () => {
    if ((await readCopy())?.isReplaced === false)
      throw new MovingError("The last load was not finished. Reload this page, and decide about that first.");
    await close(isOpenElsewhere);
    const madeAt = new Date();
    const { file, leftOut } = await makeSavesFile(await readSaves(), host, madeAt);
    if (leftOut.size > 0)
      throw new MovingError("This game keeps something here of which no copy can be made, so it is not replaced.");
    const copy = { bytes: await file.arrayBuffer(), madeAt, isReplaced: false };
    await writeCopy(copy);
    try {
      await replace(saves, isOpenElsewhere);
    } catch (error) {
      await restore(copy, isOpenElsewhere);
      const reason = isFull(error) ? "There is not enough room in this browser." : "This browser refused to write.";
      throw new MovingError(`${reason} What was here before is here again.`, { cause: error });
    }
    await writeCopy({ ...copy, isReplaced: true });
  });
}

/** Puts back what was here before, and removes the copy. */
export async function putBack(isOpenElsewhere: () => void): Promise<void> {
  await alone(async () => {
    const copy = await readCopy();
    if (copy === undefined) throw new MovingError("There is no copy any more.");
    await close(isOpenElsewhere);
    await restore(copy, isOpenElsewhere);
  });
}

async function restore({ bytes }: Copy, isOpenElsewhere: () => void): Promise<void> {
  try {
    const { saves } = await readSavesFile(new Blob([bytes]));
    await replace(saves, isOpenElsewhere);
  } catch (error) {
    const message = "What was here before could not be put back now. It is kept: reload this page, and put it back.";
    throw new MovingError(message, { cause: error });
  }
  await removeCopy();
}

async function close(isOpenElsewhere: () => void): Promise<void> {
  await waitUntilClosed(isOpenElsewhere);
  if (!(await canWriteFiles())) return;
  try {
    await checkFilesAreClosed();
  } catch (error) {
    throw new MovingError("This game is open in another tab. Close it, then try again.", { cause: error });
  }
}

async function replace({ databases, texts, files }: Saves, isOpenElsewhere: () => void): Promise<void> {
  if (await canWriteFiles()) await replaceFiles(files);
  await deleteDatabases(isOpenElsewhere);
  for (const database of databases) await writeDatabase(database);
  localStorage.clear();
  for (const [key, value] of texts) localStorage.setItem(key, value);
}
