import { AsyncLocalStorage } from "node:async_hooks";
import { constants, createContext, runInContext } from "node:vm";

/** An event of a viewer function, and what `rawQueryString()` of its request gives. */
export interface ViewerEvent {
  readonly request: object;
  readonly response?: object;
  readonly query?: string | undefined;
}

/** Gets what the function logs of its event. */
type Log = (text: string) => void;

/** Store that `cloudfront.kvs()` gives. */
export interface Store {
  /** @throws if there is no such key */
  get(key: string): Promise<string>;
  exists(key: string): Promise<boolean>;
}

/**
 * Runs the code of a CloudFront function in Node with nothing but the documented globals and methods.
 *
 * @returns calls its handler; it may change the event
 */
export function viewerRuntime(
  code: string,
  store: Store,
): (event: ViewerEvent, log?: Log) => Promise<ReturnType<typeof JSON.parse>> {
  const context = createContext(constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } });
  Object.assign(context, { TextDecoder, TextEncoder });
  runInContext(`(${removeOthers})(${JSON.stringify(documented)})`, context);
  const logs = new AsyncLocalStorage<Log>();
  const module = { kvs: () => store, logCustomData: (text: string) => logs.getStore()?.(text) };
  const handler = runInContext(`(function (cloudfront) { ${callable(code)} })`, context)(module);
  return (event, log = () => undefined) => logs.run(log, handler, event);
}

/** The code as the body of a function, so that it needs no modules in its context. */
function callable(code: string): string {
  return `"use strict";
${code.replace(/^import ([\w$]+) from ?"cloudfront";/, "const $1 = cloudfront;")}
return function (event) {
  event.request.rawQueryString = function () { return event.query; };
  return handler(event);
};`;
}

/** Removes what is not in the lists; runs inside the context. */
function removeOthers(lists: Readonly<Record<string, string>>): void {
  const { deleteProperty, get } = Reflect;
  for (const [path, names] of Object.entries(lists)) {
    const target = path.split(".").reduce<object>((from, name) => (name === "" ? from : get(from, name)), globalThis);
    const allowedNames = names.split(" ");
    for (const name of Object.getOwnPropertyNames(target))
      if (!allowedNames.includes(name)) deleteProperty(target, name);
  }
}

/**
 * ECMAScript 5.1's, and the additions of "JavaScript runtime 2.0 features for CloudFront Functions". The globals are last: the
 * others are reached by them.
 */
const documented = {
  Object:
    "prototype create defineProperties defineProperty freeze getOwnPropertyDescriptor getOwnPropertyDescriptors getOwnPropertyNames getPrototypeOf isExtensible isFrozen isSealed keys preventExtensions seal assign entries values is setPrototypeOf",
  "Array.prototype":
    "constructor length concat every filter forEach indexOf join lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice unshift toString copyWithin fill find findIndex includes",
  Array: "prototype isArray of",
  "String.prototype":
    "constructor length charAt charCodeAt concat indexOf lastIndexOf localeCompare match replace search slice split substr substring toLowerCase toUpperCase trim toString valueOf codePointAt endsWith includes repeat startsWith padStart padEnd trimStart trimEnd replaceAll",
  String: "prototype fromCharCode fromCodePoint",
  Promise: "prototype all allSettled any race reject resolve",
  "RegExp.prototype": "constructor exec test toString global ignoreCase multiline source sticky flags",
  "": "Object Function Array String Number Boolean Math Date RegExp JSON Promise Symbol ArrayBuffer DataView Float32Array Float64Array Int8Array Int16Array Int32Array Uint8Array Uint8ClampedArray Uint16Array Uint32Array TextDecoder TextEncoder Error EvalError RangeError ReferenceError SyntaxError TypeError URIError globalThis console decodeURI decodeURIComponent encodeURI encodeURIComponent isFinite isNaN parseFloat parseInt NaN Infinity undefined",
};
