/** A file's path as a URL has it: each part percent-encoded (RFC 3986, section 3.3). */
export function urlPathOf(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}
