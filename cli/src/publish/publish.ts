import { NetworkError } from "../../../contract/api-error.ts";
import { unmatchedAdvice } from "../../../contract/folder/ignore-rules.ts";
import { unreadSettings } from "../../../contract/folder/project-file.ts";
import { projectFileWords } from "../../../contract/folder/setting-words.ts";
import { unlessAborted } from "../../../contract/retries.ts";
import { freshBeginning, readBeginning } from "../../../publisher/beginning.ts";
import { assertPreparableAsDecided, chosenFiles } from "../../../publisher/prepare.ts";
import { type Publication, type PublishOptions, publish } from "../../../publisher/publish.ts";
import type { Selection } from "../../../publisher/selection.ts";
import type { Choices } from "../../../publisher/settings.ts";
import type { OpenedRelease } from "../../../publisher/upload-release.ts";
import { timeoutMilliseconds } from "../client.ts";
import { openCopyFolder } from "./copy-folder.ts";
import { ZstandardDeltas } from "./deltas.ts";
import { isPage } from "./folder.ts";
import { type FromLive, fromLive } from "./from-live.ts";
import { gitIgnoredAdvice } from "./git-ignored.ts";
import { assertExpected } from "./going-live.ts";
import { readIndex } from "./known-parts.ts";
import { type ListingOptions, listed } from "./listing.ts";
import type { LocalFile } from "./local-file.ts";
import { nodePlatform } from "./node-platform.ts";
import { explainPublishing } from "./refusal-words.ts";
import { createSender, maxPlainBytes } from "./sender.ts";
import { assertKeepsFiles } from "./unconfirmed.ts";

type GivenOption =
  | "client"
  | "description"
  | "expectCurrent"
  | "file"
  | "isDryRun"
  | "isFresh"
  | "onActivation"
  | "onAdvice"
  | "patience"
  | "preview"
  | "replacesLaterRun"
  | "slug";

export interface FolderOptions extends ListingOptions, Pick<PublishOptions<LocalFile>, GivenOption> {
  /** Whether the svc.toml in the folder is the one that was read. */
  readonly isOwnProjectFile: boolean;
  /** Publishes what is probably a mistake, too. */
  readonly isForced: boolean;
  /**
   * Called when the folder is read and can be published, before its files are hashed and compressed, which may take long.
   *
   * @returns whether the project does not exist yet, in a dry run
   */
  beforeHashing(): Promise<boolean>;
  /** Called with the paths that are not published because they may contain secrets. */
  onSecrets(paths: readonly string[]): void;
}

type OwnChoices = Pick<Choices, "isForced" | "page">;

/** The result of publishing a folder, of opening a preview, or of a dry run. */
export interface Outcome extends Publication, Pick<Selection<LocalFile>, "ignored" | "secrets"> {
  readonly fromLive: FromLive;
  /** Whether the project does not exist yet, in a dry run. */
  readonly isNewProject: boolean;
}

/**
 * Publishes a folder, zip or page, as `publish` in publisher/publish.ts does.
 *
 * @throws UserError, ApiError, NetworkError, or the signal's reason
 */
export async function publishFolder(options: FolderOptions): Promise<Outcome> {
  const { folder, isForced, page } = options;
  const choices: OwnChoices = { isForced, ...(page !== undefined && { page }) };
  try {
    const listing = await listed(options);
    options.onSecrets(listing.secrets);
    await assertPreparableAsDecided(listing.files, { ...options, choices, words: projectFileWords });
    return await publishListed({ ...listing, files: await listing.local() }, { ...options, choices });
  } catch (failure) {
    throw explainPublishing(failure, folder);
  }
}

async function publishListed(
  { files, ignored, secrets }: Selection<LocalFile>,
  options: FolderOptions & { readonly choices: OwnChoices },
): Promise<Outcome> {
  const { client, slug, folder, file, rules, signal, isFresh } = options;
  const isNewProject = await unlessAborted(options.beforeHashing(), signal);
  const beginning = isFresh || isNewProject ? freshBeginning : await readBeginning(client, slug);
  const choices = { ...beginning.choices, ...options.choices };
  const advice = [
    ...unreadSettings(ignored, options.isOwnProjectFile),
    ...unmatchedAdvice(rules),
    ...gitIgnoredAdvice(folder, chosenFiles(files, choices)),
  ];
  const connection = { api: client.api, timeoutMilliseconds: timeoutMilliseconds(process.env) };
  const store = openCopyFolder(folder, process.env);
  const deltas = new ZstandardDeltas({ ...options, ...connection });
  try {
    const publication = await publish(files, {
      ...{
        ...options,
        isNewProject,
        beginning,
        choices,
        advice,
        store,
        deltas,
        platform: nodePlatform,
        words: projectFileWords,
      },
      readIndex: (url) => readIndex(url, client),
      maxPlainBytes,
      openSender: (stop, sent) => createSender({ ...connection, files: sent }, stop),
      onCompared: (opened) => assertWanted(opened, options),
    });
    store.close();
    const paths = files.map(({ path }) => path);
    return { ...publication, ignored, secrets, isNewProject, fromLive: fromLive(beginning, file, paths) };
  } catch (failure) {
    store.close({ isContinued: signal.aborted || failure instanceof NetworkError });
    throw failure;
  } finally {
    deltas.close();
  }
}

/** @throws UserError if the release is probably a mistake, or is not the one that the person expects to be live */
function assertWanted(
  { release, removed }: OpenedRelease,
  { folder, isForced, isDryRun, preview, expectCurrent }: FolderOptions,
): void {
  if (!isForced && !isDryRun && !preview && isPage(folder)) assertKeepsFiles(folder, removed.count);
  if (release?.status === "live") assertExpected(release.id, expectCurrent);
}
