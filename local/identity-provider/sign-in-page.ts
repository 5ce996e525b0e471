import { createHash } from "node:crypto";
import type { LocalPerson } from "./sign-ins.ts";

/** People to choose from. */
export const people: readonly LocalPerson[] = [
  { uid: "ada", name: "Ada Lovelace", email: "ada@example.test" },
  { uid: "grace", name: "Grace Hopper", email: "grace@example.test" },
  { uid: "alan", name: "Alan Turing", email: "alan@example.test" },
];

/**
 * The page for choosing a person. The local provider has no passwords: everybody who can reach it may sign in as anybody.
 *
 * @param query the authorization request, sent back with the choice
 */
export function signInPage(query: string): string {
  return page(`
    <h1>Sign in</h1>
    <p>This is the local service. Choose who to be; there is no password.</p>
    <form method="post" action="/sign-in">
      <input type="hidden" name="request" value="${escaped(query)}">
      <ul>${people.map(choice).join("")}</ul>
      <details>
        <summary>Somebody else</summary>
        <label for="name">Name</label>
        <input id="name" name="name" autocomplete="off" maxlength="80">
        <label for="email">Email address (optional)</label>
        <input id="email" name="email" type="email" autocomplete="off" maxlength="200">
        <button class="primary" name="uid" value="">Continue</button>
      </details>
    </form>`);
}

/** The page for an invalid request, which must not be redirected to its client (RFC 6749, section 4.1.2.1). */
export function refusalPage(reason: string): string {
  return page(`<h1>This sign-in cannot continue</h1><p>${escaped(reason)}</p><p>Start again from the dashboard.</p>`);
}

/** The page after signing out without a redirect. */
export function signedOutPage(): string {
  return page("<h1>You are signed out</h1><p>You can close this page.</p>");
}

function choice({ uid, name, email }: LocalPerson): string {
  return `<li><button name="uid" value="${escaped(uid)}"><b>${escaped(name)}</b><span>${escaped(email)}</span></button></li>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
  :root { color-scheme: light dark; --ink: light-dark(#1d1c22, #f1f0f4); --soft: light-dark(#5d5a63, #a9abba);
    --line: light-dark(#e2dfd8, #2e313e); --paper: light-dark(#f6f5f2, #14151b); --card: light-dark(#fff, #1c1e27);
    --accent: light-dark(#4a3fd1, #b3aeff); --on-accent: light-dark(#fff, #16142b) }
  * { box-sizing: border-box }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--paper);
    color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
  main { width: min(26rem, 100%); padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 1rem }
  h1 { margin: 0; font-size: 1.5rem; letter-spacing: -.01em } p { margin: .5rem 0 1.5rem; color: var(--soft) }
  ul { list-style: none; margin: 0 0 1.5rem; padding: 0; display: grid; gap: .5rem }
  button { width: 100%; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: none;
    color: inherit; font: inherit; text-align: left; cursor: pointer }
  button:hover { border-color: var(--accent) } button span { display: block; color: var(--soft); font-size: .875rem }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
  summary { cursor: pointer; padding: .25rem 0 } label { display: block; margin: .75rem 0 .25rem; font-size: .875rem }
  input { width: 100%; padding: .625rem .75rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--card);
    color: inherit; font: inherit }
  .primary { margin-top: 1rem; border-color: var(--accent); background: var(--accent); color: var(--on-accent); text-align: center }`;

function page(content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><title>Sign in · local service</title><style>${style}</style></head>
<body><main>${content}</main></body>
</html>`;
}

/** Headers that allow the page's own style, no script, and no frames, against clickjacking. */
export const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  // With no-referrer the browser would send the choice with `Origin: null`.
  "referrer-policy": "same-origin",
  "content-security-policy": `default-src 'none'; img-src data:; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; frame-ancestors 'none'; base-uri 'none'`,
};
