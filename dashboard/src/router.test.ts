import { beforeEach, expect, test } from "@jest/globals";
import { followLink, navigate } from "./router.ts";

const here = "https://dashboard.svc.example/projects/bounce";
let [visited, prevented]: [string[], boolean] = [[], false];
const states: unknown[] = [];

beforeEach(() => {
  [visited, prevented] = [[], false];
  Object.assign(globalThis, {
    location: new URL(here),
    history: {
      replaceState: (state: unknown) => states.push(state),
      pushState: (_: unknown, __: string, path: string) => visited.push(path),
    },
    scrollY: 240,
    dispatchEvent: () => true,
    scrollTo: () => {},
  });
});

/** Clicks a link to a URL. */
function click(
  href: string,
  { target = "", ...how }: Partial<Omit<MouseEvent, "target">> & { readonly target?: string } = {},
) {
  const link = Object.assign(new URL(href, here), { target });
  followLink({
    ...{ button: 0, metaKey: false, ctrlKey: false, shiftKey: false, altKey: false },
    ...(how as object),
    target: { closest: () => link },
    preventDefault: () => {
      prevented = true;
    },
  } as unknown as MouseEvent);
  return { visited, prevented };
}

test("the page that is left keeps where it was, for whoever goes back", () => {
  states.length = 0;
  navigate("/tokens");
  expect(states).toEqual([{ top: 240 }]);
});

test.each([
  ["/", "https://dashboard.svc.example/"],
  ["/tokens", "https://dashboard.svc.example/tokens"],
  ["/projects/bounce/profiles/a?with=b", "https://dashboard.svc.example/projects/bounce/profiles/a?with=b"],
  // As a path alone it would be the URL of the host evil.example, which a browser refuses to show here.
  ["https://dashboard.svc.example//evil.example/", "https://dashboard.svc.example//evil.example/"],
])("a click on %s shows it at once", (href, url) => {
  expect(click(href)).toEqual({ visited: [url], prevented: true });
});

const left = { visited: [], prevented: false };

test.each<[string, object]>([
  ["with the middle button", { button: 1 }],
  ["with Ctrl", { ctrlKey: true }],
  ["with the command key", { metaKey: true }],
  ["with Shift", { shiftKey: true }],
  ["with Alt", { altKey: true }],
  ["on a link that has a tab of its own", { target: "_blank" }],
])("a click %s is the browser's", (_, how) => {
  expect(click("/tokens", how)).toEqual(left);
});

test.each(["https://elsewhere.example/tokens", "http://dashboard.svc.example/tokens", "#main"])(
  "a click on %s is the browser's",
  (href) => {
    expect(click(href)).toEqual(left);
  },
);

test("a link to a part of another view shows that view", () => {
  expect(click("/tokens#active")).toEqual({
    visited: ["https://dashboard.svc.example/tokens#active"],
    prevented: true,
  });
});

test("a view is drawn once its path is there, from its top", () => {
  const did: unknown[] = [];
  Object.assign(globalThis, {
    history: { replaceState: () => {}, pushState: () => did.push("path") },
    dispatchEvent: () => did.push("drawn"),
    scrollTo: (...place: number[]) => did.push(place),
  });
  navigate("/tokens");
  expect(did).toEqual(["path", "drawn", [0, 0]]);
});

test("a click outside a link does nothing", () => {
  const event = { button: 0, target: { closest: () => null }, preventDefault: () => visited.push("prevented") };
  followLink(event as unknown as MouseEvent);
  expect(visited).toEqual([]);
});
