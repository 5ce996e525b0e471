/** At most so many characters, well-formed: half of a surrogate pair is none. */
export function clipped(text: string, characters: number): string {
  return text.slice(0, characters).toWellFormed();
}

/** A URL without what is the same for all files of the game, and without its fragment: this page's own is the grant. */
export function shortUrl(url: string): string {
  const path = url.startsWith(`${location.origin}/`) ? url.slice(location.origin.length) : url;
  return clipped(/^\/|^https?:/.test(path) ? path.replace(/#.*/s, "") : path, 300);
}
