// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source code, with its templates
import { type Mutant, mutantsOf } from "./mutant.ts";

/** What answers on a game's own host. */
export const edgeMutants: readonly Mutant[] = [
  ...mutantsOf("edge/conditional.ts", "test/games/http", [
    ["ifMatch !== undefined && !isStrongMatch(ifMatch, etag)", "false"],
    ["ifNoneMatch !== undefined && isWeakMatch(ifNoneMatch, etag)", "false"],
    ['list.trim() === "*" || tagsOf(list).includes(etag)', "isWeakMatch(list, etag)"],
    ['.map((tag) => tag.replace(/^W\\//, ""))', ""],
    ['    list.trim() === "*" ||\n', "    false ||\n"],
  ]),
  ...mutantsOf("edge/range.ts", "test/games/http", [
    ['method !== "GET" || ', ""],
    ["ifRange !== undefined && ifRange.trim() !== etag", "false"],
    ["ifRange.trim() !== etag", 'ifRange.trim().replace(/^W\\//, "") !== etag'],
    ["[ \\t]*$/i.exec", "/i.exec"],
    ["/i.exec", "/.exec"],
    ["Math.min(Number(suffix), size)", "Number(suffix)"],
    ['length === 0 ? "unsatisfiable" : ', ""],
    ["Number(last) + 1 : size", "Number(last) : size"],
    ["if (last && start >= end) return undefined;", ""],
    ["start < size ? ", "start <= size ? "],
    ["end: Math.min(end, size)", "end"],
  ]),
  ...mutantsOf("edge/request.ts", "test/games/http", [
    ['if (!path.startsWith("/")) return undefined;', ""],
    ['.normalize("NFC")', ""],
    ["  } catch {\n    return undefined;", '  } catch {\n    return { path: target, query: "" };'],
    ["query: target.slice(path.length)", 'query: ""'],
  ]),
  ...mutantsOf("edge/resolve.ts", "test/games/http", [
    ['path === "" || ', ""],
    ["if (isFolder || files.find(`${path}/${indexPage}`) === undefined)", "if (isFolder)"],
    ['path.split("/").map(encodeURIComponent).join("/")', "path"],
  ]),
  ...mutantsOf("edge/host.ts", "edge/host", [
    ["if (!name.endsWith(suffix)) return undefined;", ""],
    ["slug.test(label) ? ", "true ? "],
    ["slug.test(game) && ", ""],
    ["/^[0-9a-f]{20}$/.test(digest)", "true"],
    [".toLowerCase()", ""],
    ['.replace(/:\\d*$/, "")', ""],
    ['.replace(/\\.$/, "")', ""],
  ]),
  ...mutantsOf("edge/representation.ts", "edge/representation", [
    ['?? qualities.get("*") ', ""],
    ["brotli > 0 && ", ""],
    [' && brotli >= (qualities.get("identity") ?? 0)', ""],
    [".toLowerCase()", ""],
  ]),
  ...mutantsOf("edge/representation.ts", "test/long/journeys/visits", [
    [" && !isRange", "", "Brotli"],
    ["varies = file.br !== undefined", "varies = false", "Brotli"],
    [' && request.method === "GET"', "", "Brotli"],
  ]),
  ...mutantsOf("edge/headers.ts", "test/games/http", [
    ['"x-content-type-options": "nosniff"', '"x-content-type-options": ""'],
    ["public, max-age=0, must-revalidate", "public, max-age=60"],
    ['...(contentEncoding !== undefined && { "content-encoding": contentEncoding }),', ""],
    ['    "accept-ranges": "bytes",\n', ""],
  ]),
  ...mutantsOf("edge/headers.ts", "test/long/journeys/visits", [
    ["if (!isolation) return {};", "", "isolation"],
    ["if (!isolation) return {};", "return {};", "isolation"],
    ['isolation ? `"${object.sha256}.isolated"` : ', "", "isolation"],
    ["!isDocument && matchesPattern", "matchesPattern", "immutable"],
    ["!isDocument && matchesPattern(path, immutable)", "false", "immutable"],
    ['varies ? { vary: "Accept-Encoding" } : {}', "{}", "Brotli"],
  ]),
  ...mutantsOf("edge/respond.ts", "test/games/http", [
    ['if (request.method !== "GET" && request.method !== "HEAD")', "if (false)"],
    [
      'if (target === undefined) return page("badRequest");',
      'if (target === undefined) return page("notFound");',
    ],
    ["found.path + target.query", "found.path"],
    ['"content-range": `bytes */${size}`, ', ""],
    ["bytes ${start}-${end - 1}/${size}", "bytes ${start}-${end}/${size}"],
  ]),
  ...mutantsOf("edge/respond.ts", "edge/respond", [
    ['if (method === "HEAD" || ', "if ("],
    ["visited ??= files;", "visited = files;"],
    ["const { range: _, ...others } = request.headers;", "const others = request.headers;"],
    ["    const { isolation } = visited.settings;", "    const { isolation } = files.settings;"],
    ['    ...varyHeaders(representation),\n    "content-length"', '    "content-length"'],
  ]),
  ...mutantsOf("edge/respond.ts", "test/long/journeys/visits", [
    [
      "    \"content-security-policy\": \"default-src 'none'; style-src 'unsafe-inline'; img-src data:\",\n",
      "",
      "elsewhere",
    ],
    ['    "cache-control": "no-store",\n', "", "reads"],
    ["const live = await readManifest(project.live);", 'const live = await readManifest("");', "404"],
  ]),
  ...mutantsOf("edge/visit.ts", "test/long/journeys/visits", [
    ["setCookie: fixed === live ? undefined : cookieFor(live)", "setCookie: cookieFor(live)"],
    ["[fixed, live, previous]", "[live, previous]"],
    ["[fixed, live, previous]", "[fixed, live]"],
    ["[fixed, live, previous]", "[live, fixed, previous]"],
    ['if (request.headers["service-worker"] === "script") return { order: [live], setCookie: undefined };', ""],
    ["; Secure; HttpOnly; SameSite=Lax", "; Secure; SameSite=Lax"],
    ["; Secure; HttpOnly; SameSite=Lax", "; Secure; HttpOnly"],
    ["/^[0-9a-f]{64}$/.test(value)", "true"],
    [
      "if (startsVisit(request)) return { order: [live]",
      "if (startsVisit(request)) return { order: fixed ? [fixed, live] : [live]",
    ],
    ['if (destination === undefined) return accept.includes("text/html");', ""],
    [' && site !== "same-origin")', ")"],
  ]),
  ...mutantsOf("edge/visit.ts", "edge/respond", [["(frames.has(destination) && ", "(true && "]]),
];
