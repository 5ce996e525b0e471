import type { ServerResponse } from "node:http";

/*
 * Reloading of an open page when the folder has changed: a script at the end of each document that a person opens, and a stream of
 * server-sent events (HTML, "Server-sent events").
 */

const [scriptPath, changesPath] = ["/.well-known/svc/dev/reload.js", "/.well-known/svc/dev/changes"];

/** Tag that is put at the end of a document: everything before it stays as it is, the doctype too. */
export function reloadTag(digest: string): string {
  return `<script src="${scriptPath}?${digest}"></script>`;
}

/**
 * The page of a service worker may come from its cache with an old digest, and would be reloaded for ever: there only what
 * changes from now on counts. Hidden pages keep no connection, because browsers allow six to a host.
 */
const script = `(() => {
  const own = document.currentScript;
  let known = navigator.serviceWorker?.controller ? undefined : new URL(own.src).search.slice(1);
  own.remove();
  let changes;
  const listen = () => {
    changes?.close();
    if (document.hidden) return;
    changes = new EventSource("${changesPath}");
    changes.onmessage = ({ data }) => {
      known ??= data;
      if (data === known) return;
      known = data;
      location.reload();
    };
  };
  addEventListener("pagehide", () => changes?.close());
  addEventListener("pageshow", ({ persisted }) => persisted && listen());
  document.addEventListener("visibilitychange", listen);
  listen();
})();
`;

/** The pages that are open. */
export class OpenPages {
  readonly #streams = new Set<ServerResponse>();

  get count(): number {
    return this.#streams.size;
  }

  /** Responds at the paths of reloading, which no file of the folder can have; false for every other path. */
  respond(path: string, digest: string, response: ServerResponse): boolean {
    if (path === scriptPath) response.writeHead(200, { ...always, "content-type": "text/javascript" }).end(script);
    else if (path === changesPath) this.#open(digest, response);
    else return false;
    return true;
  }

  #open(digest: string, response: ServerResponse): void {
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
    response.writeHead(200, { ...always, "content-type": "text/event-stream" });
    response.write(eventOf(digest));
  }

  /** Tells all pages what is served now: those that show something else are loaded again. */
  tell(digest: string): void {
    for (const response of this.#streams) response.write(eventOf(digest));
  }
}

const always = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};

function eventOf(digest: string): string {
  // A browser that loses the connection tries again after half a second.
  return `retry: 500\ndata: ${digest}\n\n`;
}
