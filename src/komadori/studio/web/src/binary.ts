// Binary messages: arrays from the server (a line of JSON, then numbers of 32 bits), and the hand's few numbers to it.

import { type Arrays, HAND_INPUT, type HandInput } from "./generated";

interface Header {
  type: string;
  arrays: { name: string; kind: "f32" | "i32"; shape: number[] }[];
}

/** A message with its arrays in their places; they lie in `buffer` itself. */
export function unpacked(buffer: ArrayBuffer): Arrays {
  const length = new DataView(buffer).getUint32(0, true);
  const { arrays, ...message } = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header;
  const found: Record<string, unknown> = message;
  let at = 4 + length;
  for (const { name, kind, shape } of arrays) {
    const count = shape.reduce((product, size) => product * size, 1);
    const data = kind === "f32" ? new Float32Array(buffer, at, count) : new Int32Array(buffer, at, count);
    found[name] = { data, shape };
    at += 4 * count;
  }
  return found as unknown as Arrays;
}

/** Like `unpacked`, where only one type of message can be meant. */
export function unpackedAs<T extends Arrays["type"]>(type: T, buffer: ArrayBuffer): Extract<Arrays, { type: T }> {
  const message = unpacked(buffer);
  if (message.type !== type) throw new TypeError(`expected arrays of type ${type}, found ${message.type}`);
  return message as Extract<Arrays, { type: T }>;
}

export function packedHand(input: HandInput): Float32Array<ArrayBuffer> {
  return new Float32Array(HAND_INPUT.map((name) => input[name]));
}
