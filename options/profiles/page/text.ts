/** Beginning of a text, well-formed: it does not end in half of a surrogate pair. */
export function clipped(text: string, characters: number): string {
  return text.slice(0, characters).toWellFormed();
}

/** A URL without what is the same for all files of the game, and without its fragment: this page's own is the grant. */
export function shortUrl(url: string): string {
  const path = url.startsWith(`${location.origin}/`) ? url.slice(location.origin.length) : url;
  return clipped(/^\/|^https?:/.test(path) ? path.replace(/#.*/s, "") : path, 300);
}
