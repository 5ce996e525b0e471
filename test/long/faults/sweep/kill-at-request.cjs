// Loaded into a sweeper before anything else (`node --require`): ends it, as kill -9 does, before its KILL_AT_REQUEST-th
// request to the table or the store, counted from 0. Otherwise it tells on standard error how many requests there were.
const { ClientRequest } = require("node:http");
const killAt = Number(process.env.KILL_AT_REQUEST);
const { end } = ClientRequest.prototype;
let request = 0;

ClientRequest.prototype.end = function counted(...args) {
  if (request === killAt) process.kill(process.pid, "SIGKILL");
  request += 1;
  return end.apply(this, args);
};

process.on("exit", () => process.stderr.write(`${request} requests\n`));
