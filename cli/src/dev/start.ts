import { once } from "node:events";
import { CompressedCopies } from "./compressed-copies.ts";
import { DevFolder, type DevFolderOptions } from "./dev-folder.ts";
import { devServer } from "./dev-server.ts";
import { listen } from "./listen.ts";
import { OpenPages } from "./reload.ts";
import type { Snapshot } from "./snapshot.ts";

export interface DevOptions extends Pick<DevFolderOptions, "source" | "projectDirectory" | "onRefused"> {
  /** The project, whose name is in the host, so that each game's storage is its own. */
  readonly slug: string | undefined;
  /** Undefined: 8000, or the next one that is free. */
  readonly port: number | undefined;
  readonly isReloading: boolean;
  /** Called with the paths that differ, and with how many open pages are loaded again. */
  onChanged(snapshot: Snapshot, changed: readonly string[], pages: number): void;
}

export interface ServedFolder {
  readonly url: URL;
  readonly snapshot: Snapshot;
  close(): void;
}

export interface Dev extends Pick<ServedFolder, "url" | "snapshot"> {
  /** Resolves after Ctrl-C or SIGTERM, when everything is closed. */
  readonly stopped: Promise<void>;
}

/**
 * Serves a folder until Ctrl-C or SIGTERM.
 *
 * @throws UserError if `svc publish` would refuse the folder, or the port is taken
 */
export async function startDev(options: DevOptions): Promise<Dev> {
  const served = await serveFolder(options);
  const stopped = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]).then(served.close);
  return { url: served.url, snapshot: served.snapshot, stopped };
}

/** The same until it is closed. */
export async function serveFolder(options: DevOptions): Promise<ServedFolder> {
  const stopping = new AbortController();
  const copies = new CompressedCopies(stopping.signal);
  const pages = options.isReloading ? new OpenPages() : undefined;
  const folder = await DevFolder.open({
    ...options,
    signal: stopping.signal,
    onChanged: (snapshot, changed) => {
      void copies.keepOnly(snapshot);
      options.onChanged(snapshot, changed, pages?.count ?? 0);
      pages?.tell(snapshot.digest);
    },
  });
  const host = options.slug === undefined ? "localhost" : `${options.slug}.localhost`;
  const server = devServer({ folder, copies, pages, hosts: new Set([host, "localhost", "127.0.0.1"]) });
  try {
    const port = await listen(server, options.port);
    return { url: new URL(`http://${host}:${port}/`), snapshot: folder.snapshot, close };
  } catch (error) {
    close();
    throw error;
  }

  function close(): void {
    stopping.abort();
    server.close();
    server.closeAllConnections();
    copies.close();
  }
}
