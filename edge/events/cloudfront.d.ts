/**
 * The module of CloudFront's runtime (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-custom-methods.html).
 */
declare module "cloudfront" {
  export interface KeyValueStore {
    /** @throws if there is no such key */
    get(key: string): Promise<string>;
    exists(key: string): Promise<boolean>;
  }
  const cloudfront: {
    kvs(): KeyValueStore;
    /** Up to 800 bytes, which the access log has in the field `viewer-request-log-data`. */
    logCustomData(text: string): void;
  };
  // biome-ignore lint/style/noDefaultExport: so it is documented
  export default cloudfront;
}

/** The stage's games domain, which the bundle has as a constant. */
declare const GAMES_DOMAIN: string;
/** The stage's `reportUrl`, empty if it has none. */
declare const REPORT_URL: string;

/** The paths of the pages of the stage's options. */
declare const OPTION_PAGES: readonly string[];

/** Headers, by their names, that the stage's options, by theirs, add to each page that a person opens. `{site}` and `{release}` stand for those of the page. */
declare const DOCUMENT_HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>>;
/** Those of them that are there while nothing is live; false in the functions that get no request for one, which have no room for it. */
declare const OFFLINE_PAGES: readonly string[] | false;
