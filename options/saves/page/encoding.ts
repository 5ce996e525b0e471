/*
 * Values that IndexedDB can keep, as bytes: a letter for the kind, then what the kind needs (docs/decisions/0081-saves-that-travel.md). Nothing is
 * compressed, so that a file unpacks to nothing larger than itself.
 */

/** A part of what was written: bytes, or a blob whose bytes are read later. */
export type Part = Uint8Array<ArrayBuffer> | Blob;

/** A value that is kept in a browser and cannot leave it, such as a key of Web Crypto. */
export class NotMovable extends Error {
  override readonly name = "NotMovable";
}

/** Bytes that no {@link Writer} has written. */
export class NotReadable extends Error {
  override readonly name = "NotReadable";
}

/** Deeper values are refused on both sides, before the stack is full. */
const maxDepth = 1_000;

/** The kinds by their letters. No letter ever gets another meaning. */
const letters = {
  undefined: "u",
  null: "0",
  true: "t",
  false: "f",
  number: "n",
  bigint: "i",
  text: "s",
  /** Text with half of a surrogate pair, which UTF-8 cannot have: LZ-String makes it. */
  brokenText: "h",
  date: "d",
  regExp: "x",
  map: "m",
  set: "e",
  array: "a",
  sparseArray: "A",
  object: "o",
  buffer: "b",
  view: "v",
  blob: "B",
  file: "F",
  error: "E",
  boxed: "p",
  /** An object that was written before: its number. */
  again: "r",
} as const;
type Kind = keyof typeof letters;
const kinds = new Map(Object.entries(letters).map(([kind, letter]) => [letter.charCodeAt(0), kind as Kind]));

/** Their places in the list are written, so new ones are added at its end. */
const viewNames = [
  ...["DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array"],
  ...["Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array", "Float16Array"],
];

/** Bytes that become an ArrayBuffer when they are read. */
export class Bytes {
  readonly parts: readonly Part[];
  readonly size: number;

  constructor(parts: readonly Part[]) {
    this.parts = parts;
    this.size = parts.reduce((sum, part) => sum + sizeOf(part), 0);
  }
}

function sizeOf(part: Part): number {
  return part instanceof Uint8Array ? part.byteLength : part.size;
}

/** Pieces above this are not copied. */
const copiedBytes = 4_096;

/** Writes values one behind the other. */
export class Writer {
  readonly #parts: Part[] = [];
  #room: Uint8Array<ArrayBuffer>;
  #used = 0;

  /** @param roomBytes so many bytes are collected at a time */
  constructor(roomBytes = 65_536) {
    this.#room = new Uint8Array(Math.max(roomBytes, 64));
  }

  /** What was written so far. */
  get parts(): readonly Part[] {
    this.#flush();
    return this.#parts;
  }

  /**
   * Writes a value with everything that it refers to.
   *
   * @throws NotMovable if something in it cannot leave the browser; then this writer is of no use any more
   */
  write(value: unknown): void {
    this.#write(value, new Map(), 0);
  }

  #write(value: unknown, numbers: Map<object, number>, depth: number): void {
    if (value === undefined || value === null || typeof value === "boolean") this.#kind(`${value}` as Kind);
    else if (typeof value === "number") this.#kind("number").#number(value);
    else if (typeof value === "bigint") this.#kind("bigint").#text(String(value));
    else if (typeof value === "string") this.#string(value);
    else if (value instanceof Bytes) this.#kind("buffer").#length(value.size).#pieces(value.parts);
    else if (typeof value === "object") this.#shared(value, numbers, depth);
    else throw new NotMovable(typeof value);
  }

  /** An object is written once, and then by its number. */
  #shared(value: object, numbers: Map<object, number>, depth: number): void {
    const number = numbers.get(value);
    if (number !== undefined) {
      this.#kind("again").#length(number);
      return;
    }
    if (depth >= maxDepth) throw new NotMovable("what is nested too deeply");
    numbers.set(value, numbers.size);
    const write = (inner: unknown) => this.#write(inner, numbers, depth + 1);
    if (ArrayBuffer.isView(value)) this.#view(value, write);
    else this.#object(value, (values) => values.forEach(write));
  }

  #view(value: ArrayBufferView, write: (inner: unknown) => void): void {
    const place = viewNames.indexOf(nameOf(value));
    if (place < 0) throw new NotMovable(nameOf(value));
    const length = "length" in value ? Number(value.length) : value.byteLength;
    this.#kind("view").#length(place).#length(value.byteOffset).#length(length);
    write(value.buffer);
  }

  #object(value: object, write: (inner: readonly unknown[]) => void): void {
    const name = nameOf(value);
    switch (name) {
      case "Object":
        this.#kind("object").#length(Object.keys(value).length);
        write(membersOf(value));
        break;
      case "Array":
        this.#array(value as unknown[], write);
        break;
      case "Date":
        this.#kind("date").#number((value as Date).getTime());
        break;
      case "RegExp":
        this.#kind("regExp");
        write([(value as RegExp).source, (value as RegExp).flags]);
        break;
      case "Map":
        this.#kind("map").#length((value as Map<unknown, unknown>).size);
        write([...(value as Map<unknown, unknown>)].flat(1));
        break;
      case "Set":
        this.#kind("set").#length((value as Set<unknown>).size);
        write([...(value as Set<unknown>)]);
        break;
      case "ArrayBuffer": {
        const bytes = new Uint8Array(value as ArrayBuffer);
        this.#kind("buffer").#length(bytes.length).#pieces([bytes]);
        break;
      }
      case "Blob":
        this.#kind("blob");
        write([(value as Blob).type]);
        this.#length((value as Blob).size).#pieces([value as Blob]);
        break;
      case "File":
        this.#kind("file");
        write([(value as File).type, (value as File).name, (value as File).lastModified]);
        this.#length((value as File).size).#pieces([value as File]);
        break;
      case "Error":
        this.#kind("error");
        write([(value as Error).name, (value as Error).message]);
        break;
      case "Boolean":
      case "Number":
      case "String":
      case "BigInt":
        this.#kind("boxed");
        write([value.valueOf()]);
        break;
      default:
        throw new NotMovable(name);
    }
  }

  #array(list: unknown[], write: (inner: readonly unknown[]) => void): void {
    const keys = Object.keys(list);
    const isDense = keys.length === list.length && keys.every((key, index) => key === String(index));
    this.#kind(isDense ? "array" : "sparseArray").#length(list.length);
    if (!isDense) this.#length(keys.length);
    write(isDense ? list : membersOf(list));
  }

  #string(value: string): void {
    if (value.isWellFormed()) {
      this.#kind("text").#text(value);
      return;
    }
    const bytes = new Uint8Array(value.length * 2);
    const view = new DataView(bytes.buffer);
    for (let index = 0; index < value.length; index += 1) view.setUint16(index * 2, value.charCodeAt(index), true);
    this.#kind("brokenText").#length(bytes.length).#pieces([bytes]);
  }

  #kind(kind: Kind): this {
    this.#reserve(1);
    this.#room[this.#used] = letters[kind].charCodeAt(0);
    this.#used += 1;
    return this;
  }

  #length(length: number): this {
    this.#reserve(4);
    new DataView(this.#room.buffer).setUint32(this.#used, length, true);
    this.#used += 4;
    return this;
  }

  #number(value: number): void {
    this.#reserve(8);
    new DataView(this.#room.buffer).setFloat64(this.#used, value, true);
    this.#used += 8;
  }

  #text(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.#length(bytes.length).#pieces([bytes]);
  }

  #pieces(parts: readonly Part[]): void {
    for (const part of parts) {
      if (part instanceof Uint8Array && part.length <= Math.min(copiedBytes, this.#room.length)) {
        this.#reserve(part.length);
        this.#room.set(part, this.#used);
        this.#used += part.length;
      } else {
        this.#flush();
        this.#parts.push(part);
      }
    }
  }

  #reserve(bytes: number): void {
    if (this.#used + bytes > this.#room.length) this.#flush();
  }

  #flush(): void {
    if (this.#used === 0) return;
    this.#parts.push(this.#room.subarray(0, this.#used));
    this.#room = new Uint8Array(this.#room.length);
    this.#used = 0;
  }
}

/** The kind of an object. Not by `instanceof`, because it may come from another realm. */
function nameOf(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** Its own keys, each before its value. */
function membersOf(value: object): unknown[] {
  return Object.keys(value)
    .flatMap((key) => [key, [Reflect.get(value, key)]])
    .flat(1);
}

/** Reads values one behind the other. */
export class Reader {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /**
   * The next value. Whatever the bytes are, it takes no more memory than a small multiple of them.
   *
   * @throws NotReadable
   */
  read(): unknown {
    return this.#read([], 0);
  }

  #read(known: unknown[], depth: number): unknown {
    if (depth > maxDepth) throw new NotReadable("It is nested too deeply");
    const kind = kinds.get(this.#bytes[this.#take(1)] ?? 0);
    const read = () => this.#read(known, depth + 1);
    switch (kind) {
      case undefined:
        throw new NotReadable("It has a kind of value that is unknown here");
      case "undefined":
        return undefined;
      case "null":
        return null;
      case "true":
        return true;
      case "false":
        return false;
      case "number":
        return this.#number();
      case "bigint": {
        const digits = this.#text();
        if (!/^-?\d+$/.test(digits)) throw new NotReadable("It has a number that is none");
        return BigInt(digits);
      }
      case "text":
        return this.#text();
      case "brokenText":
        return this.#brokenText();
      case "again": {
        const number = this.#length();
        if (number >= known.length) throw new NotReadable("It refers to a value that it does not have");
        return known[number];
      }
      default:
        return this.#object(kind, known, read);
    }
  }

  #object(kind: Kind, known: unknown[], read: () => unknown): unknown {
    const number = known.length;
    known.push(undefined);
    const add = <Value>(value: Value): Value => {
      known[number] = value;
      return value;
    };
    const text = () => {
      const value = read();
      if (typeof value !== "string") throw new NotReadable("It has no text at a place for one");
      return value;
    };
    switch (kind) {
      case "object":
        return this.#members(add({}), read, text);
      case "array": {
        const length = this.#length();
        const list: unknown[] = add([]);
        for (let index = 0; index < length; index += 1) list.push(read());
        return list;
      }
      case "sparseArray": {
        const list: unknown[] = add([]);
        list.length = this.#length();
        return this.#members(list, read, text);
      }
      case "map": {
        const map = add(new Map<unknown, unknown>());
        for (let left = this.#length(); left > 0; left -= 1) map.set(read(), read());
        return map;
      }
      case "set": {
        const set = add(new Set<unknown>());
        for (let left = this.#length(); left > 0; left -= 1) set.add(read());
        return set;
      }
      case "date":
        return add(new Date(this.#number()));
      case "regExp":
        return add(made(() => new RegExp(text(), text())));
      case "buffer":
        return add(this.#copy(this.#length()).buffer);
      case "view":
        return add(this.#viewOf(read));
      case "blob": {
        const type = text();
        return add(new Blob([this.#copy(this.#length())], { type }));
      }
      case "file": {
        const [type, name, lastModified] = [text(), text(), read()];
        if (typeof lastModified !== "number") throw new NotReadable("It has a file without a time");
        return add(new File([this.#copy(this.#length())], name, { type, lastModified }));
      }
      case "error": {
        const name = text();
        return add(Object.assign(new Error(text()), { name }));
      }
      case "boxed":
        return add(Object(read()));
      default:
        throw new NotReadable("It has a value that is none");
    }
  }

  #members(value: object, read: () => unknown, text: () => string): object {
    for (let left = this.#length(); left > 0; left -= 1) {
      const key = text();
      // Not by assignment: `__proto__` would set the prototype.
      const member = { value: read(), enumerable: true, configurable: true, writable: true };
      made(() => Object.defineProperty(value, key, member));
    }
    return value;
  }

  #viewOf(read: () => unknown): unknown {
    const name = viewNames[this.#length()] ?? "";
    const [offset, length] = [this.#length(), this.#length()];
    const View = Reflect.get(globalThis, name) as typeof Uint8Array | undefined;
    if (View === undefined) throw new NotReadable(`It has a ${name}, which this browser does not know`);
    const buffer = read();
    if (Object.prototype.toString.call(buffer) !== "[object ArrayBuffer]")
      throw new NotReadable("It has a list of numbers without its bytes");
    return made(() => new View(buffer as ArrayBuffer, offset, length));
  }

  #text(): string {
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(this.#slice(this.#length()));
  }

  #brokenText(): string {
    const bytes = this.#slice(this.#length());
    if (bytes.length % 2 !== 0) throw new NotReadable("It has half a character");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const pieces: string[] = [];
    for (let start = 0; start < bytes.length; start += 16_384) {
      const count = Math.min(8_192, (bytes.length - start) / 2);
      pieces.push(
        String.fromCharCode(...Array.from({ length: count }, (_, index) => view.getUint16(start + index * 2, true))),
      );
    }
    return pieces.join("");
  }

  #number(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  #length(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  #copy(length: number): Uint8Array<ArrayBuffer> {
    return this.#slice(length).slice();
  }

  #slice(length: number): Uint8Array<ArrayBuffer> {
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Where so many bytes begin that are there. */
  #take(length: number): number {
    const start = this.#at;
    if (length > this.#bytes.length - start) throw new NotReadable("It ends in the middle of a value");
    this.#at += length;
    return start;
  }
}

/** What a constructor makes, or refuses because of what a file says. */
function made<Value>(make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotReadable) throw error;
    throw new NotReadable("It has a value that cannot be made", { cause: error });
  }
}
