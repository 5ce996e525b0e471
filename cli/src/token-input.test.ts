import { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import { checkToken } from "./credential.ts";
import { oneToken, promptHidden, type Terminal } from "./token-input.ts";

/** A terminal that records its calls. */
class FakeTerminal extends EventEmitter {
  readonly calls: string[] = [];
  setRawMode(isRaw: boolean) {
    this.calls.push(isRaw ? "raw" : "cooked");
    return this;
  }
  pause() {
    this.calls.push("pause");
    return this;
  }
  resume() {
    this.calls.push("resume");
    return this;
  }
}

function prompt() {
  const terminal = new FakeTerminal();
  let shown = "";
  const response = promptHidden(terminal as unknown as Terminal, "Token: ", (text) => {
    shown += text;
  });
  return { terminal, response, type: (text: string) => terminal.emit("data", Buffer.from(text)), shown: () => shown };
}

test.each([
  ["nothing", "", "token_empty"],
  ["several lines", "pat_a\npat_b\n", "token_lines"],
])("%s is no token", (_, text, code) => {
  expect(() => oneToken(text)).toThrow(expect.objectContaining({ code }));
});

test("a token in UTF-16, as Windows PowerShell writes files, says so", () => {
  const text = Buffer.from("\ufeffpat_a\r\n", "utf16le").toString("utf8");
  expect(() => oneToken(text)).toThrow("The token is in UTF-16");
});

test("the prompt shows its question, hides what is typed, and restores the terminal", async () => {
  const { terminal, response, type, shown } = prompt();
  type("pat_");
  type("secret\r");
  expect(await response).toBe("pat_secret");
  expect(shown()).toBe("Token: \n");
  expect(terminal.calls).toEqual(["raw", "resume", "cooked", "pause"]);
  expect(terminal.listenerCount("data")).toBe(0);
});

test.each([
  ["backspace removes a character", "ab\u007fc\r", "ac"],
  ["backspace in an empty line does nothing", "\u007f\bab\r", "ab"],
  ["Ctrl-U removes the line", "wrong\u0015right\r", "right"],
  ["Ctrl-D ends the line", "abc\u0004", "abc"],
  ["a paste ends at its first line", "abc\ndef\n", "abc"],
  ["the escape sequences around a paste are ignored", "\u001b[200~abc\u001b[201~\r", "abc"],
])("%s", async (_, typed, expected) => {
  const { response, type } = prompt();
  type(typed);
  expect(await response).toBe(expected);
});

test("Ctrl-C ends the prompt with exit code 130 and restores the terminal", async () => {
  const { terminal, response, type } = prompt();
  type("pat_sec\u0003");
  await expect(response).rejects.toMatchObject({ code: "interrupted", exitCode: 130 });
  expect(terminal.calls.at(-2)).toBe("cooked");
});

test("white space around the token is ignored", () => {
  expect(oneToken("\uFEFF \t pat_x \r\n")).toBe("pat_x");
});

test.each([
  ['"pat_x"', "is in quotation marks"],
  ["'pat_x'", "is in quotation marks"],
  ["Bearer pat_x", "begins with Bearer"],
  ["***", "is only stars"],
  ["$" + "{{ secrets.SVC_TOKEN }}", "is the name of a variable or a secret"],
  ["$SVC_TOKEN", "is the name of a variable or a secret"],
  ["pat_x", "is not a complete personal access token"],
  ["ghp_x", "is not a personal access token"],
])("a token %s is refused with what is wrong with it", (token, why) => {
  expect(() => checkToken(token, "in SVC_TOKEN")).toThrow(`The token in SVC_TOKEN ${why}`);
});
