/**
 * Whether a text has an email address in it, also one written with a full-width @. Names are public and email addresses
 * are not, so such a text is never taken as a name.
 */
export function hasEmailForm(text: string): boolean {
  return /[^\s@]@[^\s@]/u.test(text.normalize("NFKC"));
}
