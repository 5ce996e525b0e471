/*
 * Pages that a person sees if there is no game to play. Small, and without anything from anywhere else.
 */

export interface OwnPage {
  readonly status: number;
  readonly title: string;
  /** HTML: what is the matter, and links. */
  readonly text: string;
}

/** One way on: a link that looks like a button. */
function wayOn(href: string, text: string): string {
  return `<p><a href="${href}"><b>${text}</b></a>`;
}

const homeLink = wayOn("/", "To the game");
const retryLink = wayOn("", "Try again");

// Each by itself, so that the bundle of a viewer's function has only those that it sends.

export const badRequest: OwnPage = {
  status: 400,
  title: "This address cannot be read",
  text: `Start at the game's first page.${homeLink}`,
};

export const methodNotAllowed: OwnPage = {
  status: 405,
  title: "This is read-only",
  text: "Only GET and HEAD work.",
};

export const notFound: OwnPage = {
  status: 404,
  title: "Not found",
  text: `This game has nothing at this address. Try the game's first page.${homeLink}`,
};

export const noProject: OwnPage = {
  status: 404,
  title: "There is no game here",
  text: "Check its address.",
};

/** @param text HTML; empty or left out: nothing is live */
export function noRelease(text?: string): OwnPage {
  return { status: 404, title: "Nothing to play now", text: (text || "Come back later.") + retryLink };
}

/** @param home the host of its game */
export function endedPreview(home: string): OwnPage {
  return {
    status: 404,
    title: "This preview has ended",
    text: `Ask for a new one.${wayOn(`//${home}`, "To the game")}`,
  };
}

export const report: OwnPage = {
  status: 200,
  title: "About this game",
  text: `The person who published this game is responsible for it. Does it harm or deceive people, or break the law?${homeLink}`,
};

/** For a suspension too, which can end: the pointer does not tell them apart. */
export const takenDown: OwnPage = {
  status: 410,
  title: "This game is closed",
  text: "The operator of this service closed it.",
};

export const unavailable: OwnPage = {
  status: 503,
  title: "Try again in a moment",
  text: `It could not be read.${retryLink}`,
};

/**
 * The page with a link to where the game is reported. Pages that have no game to play are without it: the operator's URL takes up to
 * 300 bytes of a viewer function.
 *
 * @param reportUrl without quotes and angle brackets; undefined: the page says nothing about it
 */
export function withReportLink(page: OwnPage, reportUrl: string | undefined): OwnPage {
  if (reportUrl === undefined) return page;
  return { ...page, text: `${page.text}<p><a href="${reportUrl.replaceAll("&", "&amp;")}">Report this game</a>` };
}

/**
 * A page as HTML that is complete in itself; the response's `Content-Type` has its charset. In colours that a person has forced, the way on has no
 * background, and its transparent border is drawn. End tags that HTML does not need are left out, because
 * a viewer function has 10 KB.
 */
export function htmlOf({ title, text }: OwnPage): string {
  return `<!doctype html><html lang=en><meta name=viewport content="width=device-width"><link rel=icon href=data:,><title>${title}</title>
<style>html{color-scheme:light dark;font:1.1em/1.5 system-ui;background:light-dark(#f6f5f2,#131218);color:light-dark(#112,#eef);--a:light-dark(#53c,#a9f)}
body{max-width:30em;margin:18vh auto;padding:1.5em}h1{line-height:1.2}a{color:var(--a)}
b{display:inline-block;padding:.6em 1.4em;border:1px solid#0000;border-radius:.6em;background:var(--a);color:light-dark(#fff,#000)}</style><main><h1>${title}</h1><p>${text}</main>
`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
