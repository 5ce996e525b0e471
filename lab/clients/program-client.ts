import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Client, Outcome } from "../../test/long/clients/client.ts";

/** A client in another language: a program that gets a flow and the issuer, and talks in lines of JSON (python_client.py). */
export function programClient(command: string, ...args: string[]): Required<Client> {
  return {
    code: (issuer, browse) =>
      run([command, ...args, "code", issuer], ({ authorization_url: url }) => browse(new URL(String(url)))),
    device: (issuer, enter) =>
      run([command, ...args, "device", issuer], ({ user_code: code }) => enter(String(code)).then(() => "entered")),
  };
}

async function run(
  [command = "", ...args]: string[],
  person: (asked: Record<string, unknown>) => Promise<string>,
): Promise<Outcome> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? '"The program exited without a line"');
    child.stdin.write(`${await person(await next())}\n`);
    return await next();
  } finally {
    child.kill();
  }
}
