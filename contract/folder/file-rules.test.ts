import { expect, test } from "@jest/globals";
import { limits } from "../api/limits.ts";
import { fileProblems } from "./file-rules.ts";

test("a folder has a sentence for each file that the API would refuse", () => {
  expect(
    fileProblems([
      { path: "index.html", size: limits.bytesPerFile },
      { path: "INDEX.html", size: 1 },
      { path: "video.mp4", size: limits.bytesPerFile + 1 },
      { path: "a%20b.png", size: 1 },
      { path: "same.png", size: 1 },
      { path: ".well-known/svc/about", size: 1 },
      { path: "größe.png", size: 1 },
      { path: "größe.png", size: 1 },
    ]),
  ).toEqual([
    "video.mp4: is larger than 500 MiB, the limit for a file",
    "a%20b.png: must not contain % or ?, because no URL would lead to it",
    ".well-known/svc/about: nobody would get it: below .well-known/svc/ the service responds itself",
    "INDEX.html: differs from another path only in upper and lower case",
    "größe.png: is there twice, with letters such as ö in two forms of Unicode, and both are one URL",
  ]);
  expect(fileProblems([{ path: "index.html", size: 1 }])).toEqual([]);
});
