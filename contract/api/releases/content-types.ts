/** Content type: how a browser treats a file. */
export interface ContentType {
  readonly type: string;
  /** It refers to other files by relative URLs, or a script reads it, so it must come from the project's own origin. */
  readonly isInline: boolean;
  /** A browser that opens the file may run scripts in it. */
  readonly isDocument: boolean;
}

const utf8 = "; charset=utf-8";

const documents: Record<string, string> = {
  htm: `text/html${utf8}`,
  html: `text/html${utf8}`,
  mpd: "application/dash+xml",
  svg: "image/svg+xml",
  tmx: "application/xml",
  xhtml: "application/xhtml+xml",
  xml: "application/xml",
};

const inline: Record<string, string> = {
  atlas: `text/plain${utf8}`,
  cjs: `text/javascript${utf8}`,
  css: `text/css${utf8}`,
  csv: `text/csv${utf8}`,
  es6: `text/javascript${utf8}`,
  fnt: `text/plain${utf8}`,
  frag: `text/plain${utf8}`,
  glsl: `text/plain${utf8}`,
  gltf: "model/gltf+json",
  js: `text/javascript${utf8}`,
  jsm: `text/javascript${utf8}`,
  json: "application/json",
  ldtk: "application/json",
  m3u8: "application/vnd.apple.mpegurl",
  map: "application/json",
  md: `text/markdown${utf8}`,
  mjs: `text/javascript${utf8}`,
  mtl: `text/plain${utf8}`,
  obj: `text/plain${utf8}`,
  tmj: "application/json",
  txt: `text/plain${utf8}`,
  vert: `text/plain${utf8}`,
  vtt: `text/vtt${utf8}`,
  wasm: "application/wasm",
  webmanifest: "application/manifest+json",
  wgsl: `text/plain${utf8}`,
};

const others: Record<string, string> = {
  aac: "audio/aac",
  apng: "image/apng",
  avif: "image/avif",
  bmp: "image/bmp",
  cur: "image/x-icon",
  flac: "audio/flac",
  gif: "image/gif",
  glb: "model/gltf-binary",
  ico: "image/x-icon",
  jfif: "image/jpeg",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  jxl: "image/jxl",
  ktx2: "image/ktx2",
  m4a: "audio/mp4",
  m4v: "video/mp4",
  mov: "video/quicktime",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  oga: "audio/ogg",
  ogg: "audio/ogg",
  ogv: "video/ogg",
  opus: "audio/ogg",
  otf: "font/otf",
  pdf: "application/pdf",
  png: "image/png",
  ttf: "font/ttf",
  wav: "audio/wav",
  weba: "audio/webm",
  webm: "video/webm",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  zip: "application/zip",
};

/** The content type that a path's extension stands for; `application/octet-stream` for an unknown one. */
export function contentTypeOf(path: string): ContentType {
  const extension = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  const lookUp = (types: Record<string, string>) => (Object.hasOwn(types, extension) ? types[extension] : undefined);
  const document = lookUp(documents);
  if (document !== undefined) return { type: document, isInline: true, isDocument: true };
  const text = lookUp(inline);
  if (text !== undefined) return { type: text, isInline: true, isDocument: false };
  return { type: lookUp(others) ?? "application/octet-stream", isInline: false, isDocument: false };
}

/** A file that the build has compressed and that is sent as it is stored, such as Unity's `game.wasm.br`. */
export interface StoredEncoding {
  /** As in Content-Encoding (RFC 9110, section 8.4.1). */
  readonly encoding: "br" | "gzip";
  /** The path without `.br` or `.gz`; its extension gives the content type. */
  readonly innerPath: string;
}

/**
 * The encoding that a path `name.ext.br`, `name.ext.gz` or `name.svgz` stands for; undefined for every other path. `.tar.gz` is the
 * name of an archive, which a page that fetches it unpacks itself.
 */
export function storedEncodingOf(path: string): StoredEncoding | undefined {
  if (/[^/]\.svgz$/i.test(path)) return { encoding: "gzip", innerPath: path.slice(0, -1) };
  const match = /^(.*[^/]\.[^./]+)\.(br|gz)$/i.exec(path);
  const [, innerPath = "", ending = ""] = match ?? [];
  if (innerPath === "" || /\.tar$/i.test(innerPath)) return undefined;
  return { encoding: ending.toLowerCase() === "br" ? "br" : "gzip", innerPath };
}

/** The encoding with which a file of a release is sent as it is stored: what its name says, unless the release says that it has none. */
export function sentEncodingOf({
  path,
  encoding,
}: {
  readonly path: string;
  readonly encoding?: "identity" | undefined;
}): StoredEncoding | undefined {
  return encoding === "identity" ? undefined : storedEncodingOf(path);
}

const compressed =
  /\.(?:7z|aac|apng|avif|basis|br|flac|gif|gz|jfif|jpe?g|jxl|ktx2|m4[av]|mov|mp[34]|og[agv]|opus|pdf|png|rar|svgz|unityweb|web[amp]|woff2?|xz|zip|zst)$/i;

/** Whether a path's extension stands for bytes that are compressed already. */
export function isCompressedType(path: string): boolean {
  return compressed.test(path);
}
