/** Path of each game's origin below which browsers report crashes: the site's key and the release's name at the edge follow. */
export const reportsPath = "/.well-known/svc/reports/";

/**
 * Headers of each page that a person opens. An endpoint of this name gets crashes alone; `default` would get all that a browser has to say of
 * a page, such as deprecated APIs, and each report is a request (Crash Reporting, section 3; Reporting API, section 3.3).
 */
export const documentHeaders = {
  "reporting-endpoints": `crash-reporting="${reportsPath}{site}/{release}"`,
} as const;
