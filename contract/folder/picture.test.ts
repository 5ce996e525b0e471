import { expect, test } from "@jest/globals";
import { threadMilliseconds } from "../../test/support/thread-time.ts";
import { limits } from "../api/limits.ts";
import { pictureProblem } from "../api/releases/pictures.ts";
import { headBytes, namedPictures, pictureOf } from "./picture.ts";

/** A folder of empty images, with these texts and sizes. */
async function found(
  page: string,
  paths: readonly string[],
  texts: Readonly<Record<string, string>> = {},
  images: Readonly<Record<string, readonly [width: number, height: number]>> = {},
) {
  const files = ["index.html", ...paths, ...Object.keys(texts), ...Object.keys(images)].map((path) => ({
    path,
    size: path.startsWith("large") ? limits.pictureBytes + 1 : 100,
  }));
  return await pictureOf({
    files,
    read: (path) => (path === "index.html" ? page : (texts[path] ?? "")),
    readImage: async (path) => {
      const [width, height] = images[path] ?? [0, 0];
      const gif = Buffer.from("474946383961 00000000".replace(" ", ""), "hex");
      gif.writeUInt16LE(width, 6);
      gif.writeUInt16LE(height, 8);
      return gif;
    },
  });
}

const icon = '<link rel="icon" sizes="128x128" href="index.icon.png">';

test.each<[string, Readonly<Record<string, readonly [number, number]>>, string]>([
  ["Godot's splash, not its icon", { "index.icon.png": [128, 128], "index.png": [600, 600] }, "index.png"],
  [
    "none of Godot's splash if that is small",
    { "index.icon.png": [128, 128], "index.png": [400, 300] },
    "index.icon.png",
  ],
  [
    "the largest of those with a name for it",
    {
      "index.icon.png": [128, 128],
      "art/Splash_2.jpg": [1280, 720],
      "screenshot-1.webp": [640, 640],
      "splash.png": [512, 8],
    },
    "art/Splash_2.jpg",
  ],
  [
    "no image of another name",
    { "index.icon.png": [128, 128], "art/discover.png": [2_000, 2_000], "level/index.png": [2_000, 2_000] },
    "index.icon.png",
  ],
  ["none that is too large", { "index.icon.png": [128, 128], "large-cover.png": [2_000, 2_000] }, "index.icon.png"],
])("of a folder is shown %s", async (_, images, picture) => {
  expect(await found(icon, [], {}, images)).toBe(picture);
});

test("without a reader of images names recommend pictures: covers, then the largest of the others", () => {
  const files = [
    { path: "icon.png", size: 9 },
    { path: "splash.png", size: 1 },
    { path: "art/cover-wide.jpg", size: 2 },
    { path: "large-cover.png", size: limits.pictureBytes + 1 },
    { path: "cover.webp", size: 1 },
  ];
  expect(namedPictures(files)).toEqual(["cover.webp", "art/cover-wide.jpg", "splash.png"]);
});

const social = (content: string) => `<meta property="og:image" content="${content}">`;

test.each([
  ["a path", social("art/cover.png")],
  ["an absolute path", social("/art/cover.png")],
  ["a URL of any host", social("https://games.example/art/cover.png?v=2")],
  ["a URL without TLS", social("http://games.example/art/cover.png")],
  ["a URL without a scheme", social("//games.example/art/cover.png")],
  ["an encoded path", social("art%2Fcover.png")],
  ["other quotes and order", "<META content='art/cover.png' PROPERTY=og:image:url />"],
  ["the name that X reads", '<meta name="twitter:image" content="art/cover.png">'],
  ["the second image, if the first is none of the files", social("elsewhere.png") + social("art/cover.png")],
])("what the page gives to social networks is the picture: %s", async (_, page) => {
  expect(
    await found(`<head>${page}<link rel="icon" href="icon.png">`, ["art/cover.png", "cover.png", "icon.png"]),
  ).toBe("art/cover.png");
});

test.each([
  ["of a comment", `<!-- ${social("art/a.png")} -->`],
  ["of a script", `<script type="module">const a = '${social("art/a.png")}';</script>`],
  ["that is no image", social("game.js")],
  ["that is too large", social("large.png")],
  ["that leaves the folder", social("../../etc/passwd.png")],
  ["inside of the page", social("data:image/png;base64,AAAA")],
  ["of a template", social("%PUBLIC_URL%/art/a.png")],
  ["on the author's disk", social("file:///art/a.png")],
  ["without a path", social("")],
  ["for a page", '<meta property="og:url" content="art/a.png">'],
  ["that is said of another", '<meta property="game:og:image" content="art/a.png">'],
  ["by its words alone", '<meta property="og:image:alt" content="art/a.png">'],
  ["of another element", '<a property="og:image" content="art/a.png" rel="icon" href="art/a.png">'],
])("an image %s is none: the file named cover is", async (_, page) => {
  expect(await found(page, ["art/a.png", "game.js", "large.png", "cover.webp"])).toBe("cover.webp");
});

test.each([
  ["the page's only icon", '<link rel="shortcut icon" href="favicon.ico">', "favicon.ico"],
  [
    "the largest icon",
    '<link rel="icon" sizes="64x64" href="a.png"><link rel="icon" sizes="96x96 48x48" href="b.png">',
    "b.png",
  ],
  ["a drawing before small icons", '<link rel="icon" href="a.png"><link rel="icon" href="logo.svg">', "logo.svg"],
  [
    "a drawing that says so",
    '<link rel="icon" sizes="96x96" href="a.png"><link rel="icon" sizes="any" href="b.png">',
    "b.png",
  ],
  [
    "what its size says, not its name",
    '<link rel="icon" sizes="16x16" href="logo.svg"><link rel="icon" href="a.png">',
    "a.png",
  ],
  [
    "no drawing by a part of its name",
    '<link rel="icon" href="logo.svg.png"><link rel="icon" sizes="48x48" href="a.png">',
    "a.png",
  ],
  ["none of another element", '<a rel="icon" href="logo.svg">x</a><link rel="icon" href="a.png">', "a.png"],
  ["none of a mask", '<link rel="mask-icon" href="logo.svg"><link rel="icon" href="a.png">', "a.png"],
  ["none of a list of icons", '<link rel="icons" href="logo.svg"><link rel="icon" href="a.png">', "a.png"],
  [
    "no start-up picture of Apple",
    '<link rel="apple-touch-icon-startup" href="logo.svg"><link rel="icon" href="a.png">',
    "a.png",
  ],
  [
    "none beyond the 200th",
    `${'<link rel="icon" href="a.png">'.repeat(200)}<link rel="icon" href="logo.svg">`,
    "a.png",
  ],
  ["one whose name has an ampersand", '<link rel="icon" href="tom&amp;jerry.png">', "tom&jerry.png"],
  ["the icon for telephones", '<link rel="icon" href="a.png"><link rel="apple-touch-icon" href="b.png">', "b.png"],
  [
    "an icon of the manifest",
    '<link rel="icon" href="a.png"><link rel="manifest" href="app/game.webmanifest">',
    "app/512.png",
  ],
  ["nothing for a style", '<link rel="stylesheet" href="a.png">', undefined],
  ["nothing if the file is missing", '<link rel="icon" href="c.png">', undefined],
])("without it the picture is %s", async (_, page, picture) => {
  const icons = [
    { src: "192.png", sizes: "192x192" },
    { src: "512.png", sizes: "512x512" },
    { src: "192.png", sizes: 7 },
    null,
    { src: 7 },
  ];
  const mono = { src: "mono.png", sizes: "1024x1024", purpose: "monochrome" };
  const texts = { "app/game.webmanifest": JSON.stringify({ icons: [...icons, mono] }) };
  const paths = [
    "favicon.ico",
    "a.png",
    "b.png",
    "logo.svg",
    "logo.svg.png",
    "tom&jerry.png",
    "app/192.png",
    "app/512.png",
    "app/mono.png",
  ];
  expect(await found(page, paths, texts)).toBe(picture);
});

test.each(["cover.png", "cover.jpg", "cover.jpeg", "cover.webp"])(
  "without social networks %s is the picture",
  async (cover) => {
    expect(await found('<link rel="icon" href="a.png">', ["a.png", cover])).toBe(cover);
  },
);

test("icons of a manifest count up to the 200th", async () => {
  const icons = [...Array(200).fill({ src: "a.png" }), { src: "b.png", sizes: "512x512" }];
  const texts = { "game.json": JSON.stringify({ icons }) };
  expect(await found('<link rel="manifest" href="game.json">', ["a.png", "b.png"], texts)).toBe("a.png");
});

test.each(["", "no JSON", "null", '{"icons": {}}'])("a manifest of %j has no icons", async (text) => {
  expect(await found('<link rel="manifest" href="game.json">', ["a.png"], { "game.json": text })).toBeUndefined();
});

test("a page that is all tags takes no time", async () => {
  const tags = ["<meta ".repeat(headBytes / 6), `<link rel=icon href="`.repeat(headBytes / 21)];
  for (const text of tags) expect(await threadMilliseconds(() => found(text, ["a.png"]))).toBeLessThan(500);
});

test.each([
  ["cover.png", limits.pictureBytes, undefined],
  ["cover.png", limits.pictureBytes + 1, `at most ${limits.pictureBytes} bytes`],
  ["cover.js", 1, "the name of an image"],
  ["other.png", 1, "one of the files"],
])("%s of %d bytes has the problem %s as a picture", (picture, size, problem) => {
  const files = ["cover.png", "cover.js"].map((path) => ({ path, size }));
  const found = pictureProblem(files, picture);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
