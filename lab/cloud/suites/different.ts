/**
 * Why checks of the suites do not pass against the stage, each by what its name and its failure say: the first row that fits. A row that
 * explains nothing fails, unless it is of load.
 */
export const different: readonly { readonly reason: string; readonly failed: RegExp; readonly isOfLoad?: true }[] = [
  {
    // MiniStack starts a process for each of many requests at once, which takes a busy machine longer than a function may take.
    reason: "needs a machine that does nothing else",
    failed: /Task timed out after|"code":"(temporarily|identity_provider)_unavailable"/,
    isOfLoad: true,
  },
  { reason: "needs a service with settings of its own", failed: /The stage lacks a service with settings of its own/ },
  {
    reason: "needs a recorder between functions and table",
    failed: /The stage lacks a recorder of calls to the table/,
  },
  {
    reason: "reads what the local service prints",
    failed:
      /: the log says why an ID token was refused|: nothing of an identity token, refused or accepted, is in the service's output/,
  },
  {
    reason: "opens a connection without TLS or the proxy",
    failed: /getaddrinfo ENOTFOUND|Protocol "https:" not supported|SocketError: other side closed/,
  },
  { reason: "expects that no edge is told of a change", failed: /"edge": null|POINTER#MINUTES/ },
  { reason: "changes the table beside the games' store", failed: /: visitors do not find a project that is/ },
  { reason: "MiniStack has a GET /health of its own", failed: /GET \/health responded with 200 {"services"/ },
  { reason: "MiniStack replaces bytes that are not UTF-8", failed: /: a request body that is not UTF-8 is refused/ },
  { reason: "MiniStack adds Origin to Vary", failed: /"Accept, Origin"/ },
  {
    reason: "MiniStack says that the object exists before it checks the signed length",
    failed: /: POST …\/releases\/:id\/publish refuses a manifest with another length/,
  },
];
