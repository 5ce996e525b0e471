import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { namedContentPrefix } from "../../edge/content/named-content.ts";
import { apiHeader, filesHeader, optionPagesHeader, reportUrlHeader, tableHeader } from "../../edge/origin-request.ts";
import { ownPathPrefix } from "../../edge/pages/own-paths.ts";
import { bundleFolderOf } from "../../infra/bundle.ts";
import { viewerBundles } from "../../infra/bundles/viewer-bundles.ts";
import { gamesLifetimes, gamesResponseHeaders, originHeaders } from "../../infra/games/games-policies.ts";
import { coldHandlers } from "./cold.ts";
import type { Distribution } from "./edge-location.ts";

interface EdgeSettings {
  readonly gamesDomain: string;
  /** URL for reporting games, with `{slug}` in place of the slug. */
  readonly reportUrl: string | undefined;
  /** The table of projects; undefined if the key-value store has every game. */
  readonly tableName?: string | undefined;
  /** The API's origin; undefined: no page measures games. */
  readonly api?: string | undefined;
  /** The origin of the store of files. */
  readonly files?: string | undefined;
  /** The pages that options add to each game's origin; none by default. */
  readonly pages?: readonly string[];
  /** Headers that options, by their names, add to each page that a person opens; none by default. */
  readonly documentHeaders?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Those of them that are there while nothing of a game is live; none by default. */
  readonly offlinePages?: readonly string[];
  /** Browsers reach it over http, where HSTS means nothing. CloudFront redirects http to https. */
  readonly isPlain?: boolean;
  /** Whether the edge treats players as badly as CloudFront's documents allow. */
  readonly isCold?: boolean;
}

const originBundle = pathToFileURL(join(bundleFolderOf("games-origin"), "index.mjs")).href;

/** The games' distribution as a stage has it: its bundles, which are built already, and its policies. */
export async function distributionOf({
  gamesDomain,
  reportUrl,
  tableName,
  api,
  files,
  pages = [],
  offlinePages = [],
  documentHeaders = {},
  isPlain,
  isCold = false,
}: EdgeSettings): Promise<Distribution> {
  const optionPages = { optionPages: pages, offlinePages };
  const code = await viewerBundles({ gamesDomain, reportUrl: reportUrl ?? "", ...optionPages, documentHeaders });
  return {
    viewerRequests: [
      { pathPrefix: namedContentPrefix, code: code["viewer-request"] },
      { pathPrefix: ownPathPrefix, code: code["viewer-own"] },
      { pathPrefix: "", code: code["viewer-request"] },
    ],
    viewerResponse: code["viewer-response"],
    loadHandler: isCold ? coldHandlers(originBundle) : async () => (await import(originBundle)).handler,
    lifetimes: gamesLifetimes,
    responseHeaders: { ...gamesResponseHeaders, ...(isPlain && { added: {} }) },
    originHeaders,
    customHeaders: {
      [reportUrlHeader]: reportUrl,
      [tableHeader]: tableName,
      [apiHeader]: pages.length > 0 ? api : undefined,
      [filesHeader]: pages.length > 0 ? files : undefined,
      [optionPagesHeader]: pages.join(" ") || undefined,
    },
    isCold,
  };
}
