/**
 * Why checks of test/api do not pass against the stage, each by what its name and its failure say: the first row that fits. A row that
 * explains nothing fails.
 */
export const different: readonly { readonly reason: string; readonly failed: RegExp }[] = [
  { reason: "needs a service with settings of its own", failed: /The stage lacks a service with settings of its own/ },
  {
    reason: "needs a recorder between functions and table",
    failed: /The stage lacks a recorder of calls to the table/,
  },
  {
    reason: "needs the issuers of CI jobs that the test starts",
    failed:
      /The stage lacks the issuers of CI jobs|(service\/jobs|pending\.test|project-creation\.test)\.ts:\d+|is not an issuer of git(hub|lab) jobs/,
  },
  { reason: "reads what the local service prints", failed: /: the log says why an ID token was refused/ },
  {
    reason: "opens a connection without TLS or the proxy",
    failed: /getaddrinfo ENOTFOUND|Protocol "https:" not supported|SocketError: other side closed/,
  },
  // Two stages would be needed: in other files nothing may be played.
  {
    reason: "needs a games domain, which this stage has not",
    failed:
      /"(play_url|report_url)"|preview_not_found|^profiles\/|createTelemetryGrant|^releases\/pictures|"kind": "profile"|: a preview with a name (has one|gets another) URL/,
  },
  { reason: "MiniStack has a GET /health of its own", failed: /GET \/health responded with 200 {"services"/ },
  { reason: "MiniStack replaces bytes that are not UTF-8", failed: /: a request body that is not UTF-8 is refused/ },
  { reason: "MiniStack adds Origin to Vary", failed: /"Accept, Origin"/ },
  {
    reason: "MiniStack says that the object exists before it checks the signed length",
    failed: /: POST …\/releases\/:id\/publish refuses a manifest with another length/,
  },
];
