import { expect, jest, test } from "@jest/globals";
import type { Notice } from "../contract/notice.ts";
import { sendToLog } from "./notice-log.ts";

const at = "2026-11-25T04:30:00.000Z";

test("a logged notice has nothing that people wrote", async () => {
  const change = {
    ...({ type: "release_published", act: "publication", at, credential: "token", own: false } as const),
    release: { id: "r1", number: 3, message: "The secret level" },
    ...{ by: { uid: "ada", name: "Ada" }, token_name: "Her laptop", commit: "c0ffee" },
  };
  const about = { version: 1, id: "n", type: "project_releases_changed", at, account: { uid: "ada" } } as const;
  const notice: Notice = { ...about, project: "pong", changes: [change] };
  const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  await sendToLog([notice]);
  const { notice: logged } = JSON.parse(String(write.mock.calls[0]?.[0]));
  write.mockRestore();
  const { message: _, ...release } = change.release;
  const { token_name: __, commit: ___, ...others } = change;
  expect(logged).toEqual({ ...notice, changes: [{ ...others, release, by: { uid: "ada" } }] });
});
