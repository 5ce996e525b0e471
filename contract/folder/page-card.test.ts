import { expect, test } from "@jest/globals";
import { hasCard } from "./page-card.ts";

test.each([
  ["a title", '<meta property="og:title" content="Bounce">'],
  ["an image", "<META content='HTTPS://a.example/a.png' PROPERTY=og:Image />"],
  ["an image by its URL", '<meta property="og:image:secure_url" content="https://a.example/a.png">'],
  ["a title for X", '<meta name="twitter:title" content="Bounce">'],
])("a page with %s for cards has one", (_, tag) => {
  expect(hasCard(`<!doctype html><head><title>x</title>${tag}</head>`)).toBe(true);
});

test.each([
  ["nothing", ""],
  [
    "title, description and icon",
    '<title>Bounce</title><meta name="description" content="x"><link rel="icon" href="a.png">',
  ],
  ["the kind of card alone", '<meta name="twitter:card" content="summary">'],
  ["an image by its path alone", '<meta property="og:image" content="cover.png">'],
  ["what stands beside an image", '<meta property="og:image:alt" content="a">'],
  ["a comment", '<!-- <meta property="og:title" content="Bounce"> -->'],
  ["a script's text", `<script>const a = '<meta property="og:title" content="Bounce">';</script>`],
  ["another element", '<a property="og:title" content="Bounce">'],
])("a page with %s has none", (_, page) => {
  expect(hasCard(page)).toBe(false);
});
