/*
 * Stands in for the native part of aws-lambda-ric, which sends a function's response to the Runtime API by libcurl and cannot
 * be built by `npm ci`. Everything else of the runtime client is Amazon's.
 */
const http = require("node:http");

const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");

function post(path, body) {
  const headers = { "content-length": Buffer.byteLength(body) };
  http.request({ hostname, port, path: `/2018-06-01/runtime/invocation/${path}`, method: "POST", headers }).end(body);
}

exports.initializeClient = () => undefined;
exports.done = (id, body) => post(`${id}/response`, body);
exports.error = (id, body) => post(`${id}/error`, body);
