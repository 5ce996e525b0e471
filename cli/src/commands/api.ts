import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { ApiCommand, example } from "../command.ts";
import { exitCodes } from "../errors.ts";
import { ReportedError } from "../report.ts";
import { printableJson } from "../text.ts";

export class Api extends ApiCommand {
  static override summary = "Send a request to the API, and print its response.";
  static override description =
    "For what has no command of its own. The token of the other commands goes with it, to the API's origin and nowhere else; " +
    "without one the request goes without. Prints the body, and exits with 1 if the status is 400 or more. Fields become " +
    "the query of a GET, else a JSON body. What looks like a token is not printed. GET /openapi.json lists the routes.";
  static override examples = [
    example("Your account", "GET /me"),
    example(
      "Fields: -f sends a string, -F true, false, null, a number or JSON",
      "PATCH /projects/my-game -f name=Game -F description=null",
    ),
    example("All pages of a list", "GET /projects -f limit=10 --paginate"),
    example("A body from a file, or with - from standard input", "POST /projects --input project.json"),
  ];
  static override args = {
    method: Args.string({ ignoreStdin: true, required: true, description: "GET, POST, PATCH, PUT or DELETE." }),
    path: Args.string({ ignoreStdin: true, required: true, description: "The path of the route, from its slash on." }),
  };
  static override flags = {
    "raw-field": Flags.string({
      char: "f",
      summary: "A field; sent as a string.",
      helpValue: "NAME=TEXT",
      multiple: true,
    }),
    field: Flags.string({
      char: "F",
      summary: "A field; parsed as JSON, else sent as a string.",
      helpValue: "NAME=JSON",
      multiple: true,
    }),
    input: Flags.string({
      summary: "The file with the body; -: standard input.",
      helpValue: "FILE",
      exclusive: ["raw-field", "field"],
    }),
    header: Flags.string({ char: "H", summary: "A request header.", helpValue: "NAME:VALUE", multiple: true }),
    paginate: Flags.boolean({ summary: "Send a request for each further page of a list, and print them all." }),
  };

  async run() {
    const { args, flags } = await this.parse(Api);
    const { bodiesOf, requestOf } = await import("../api-request.ts");
    const target = this.chooseTarget(flags.api);
    const request = requestOf(target.api, {
      ...args,
      ...flags,
      strings: flags["raw-field"] ?? [],
      values: flags.field ?? [],
      headers: flags.header ?? [],
    });
    const client = await this.clientFor(target.api, { token: target.credential?.token });
    const bodies: unknown[] = [];
    for await (const { status, location, body } of bodiesOf(client, request, flags.paginate)) {
      if (status >= 400) this.note(`${target.api.origin} responded with ${status}.`);
      if (location !== undefined) this.note(`${status}, not followed: ${location}`);
      if (this.jsonEnabled()) bodies.push({ status, body });
      else this.#print(body);
      if (status < 400) continue;
      if (this.jsonEnabled()) this.logJson(bodies.at(-1));
      throw new ReportedError(exitCodes.failed);
    }
    return flags.paginate ? { pages: bodies } : (bodies[0] as object);
  }

  #print(body: unknown): void {
    if (body === undefined || this.isQuiet) return;
    if (!Buffer.isBuffer(body)) this.print(printableJson(body, 2));
    else if (process.stdout.isTTY) this.print(body.toString("utf8"));
    else process.stdout.write(body);
  }
}
