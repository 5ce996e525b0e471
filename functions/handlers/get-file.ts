import { getFile } from "../../contract/releases.ts";
import { findLiveFile } from "../domain/live-files.ts";
import { fileAnswer } from "../http/file-answer.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(getFile, async ({ params: { slug, path }, headers, receivedAt }) =>
  fileAnswer(await findLiveFile(slug, path, receivedAt), headers["if-none-match"]),
);
