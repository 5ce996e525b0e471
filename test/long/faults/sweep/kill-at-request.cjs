// Loaded into a sweeper before anything else (`node --require`): ends it, as kill -9 does, before its KILL_AT_REQUEST-th
// request to the table or the store, counted from 0, or before one whose path contains one of the words of KILL_AT_PATH. Otherwise it prints to
// standard error how many requests there were.
const { ClientRequest } = require("node:http");
const killAt = Number(process.env.KILL_AT_REQUEST ?? Number.NaN);
const killAtPaths = process.env.KILL_AT_PATH?.split(",") ?? [];
const { end } = ClientRequest.prototype;
let request = 0;

ClientRequest.prototype.end = function counted(...args) {
  if (request === killAt || killAtPaths.some((word) => this.path.includes(word))) process.kill(process.pid, "SIGKILL");
  request += 1;
  return end.apply(this, args);
};

process.on("exit", () => process.stderr.write(`${request} requests\n`));
