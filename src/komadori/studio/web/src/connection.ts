// The live line to the server, and what is fetched from it. The token stands in the page's address.

import type { Ask, Dropped, Formats, Shelf, Tell } from "./generated";

const token = new URLSearchParams(location.search).get("token") ?? "";

export interface Arrays {
  header: Record<string, unknown>;
  arrays: Record<string, { data: Float32Array | Int32Array; shape: number[] }>;
}

export class Connection {
  private socket: WebSocket | null = null;
  private waiting: Ask[] = [];
  private tries = 0;

  constructor(
    private readonly told: (message: Tell) => void,
    private readonly brought: (arrays: Arrays) => void,
    private readonly connected: (open: boolean) => void,
  ) {
    this.open();
  }

  ask(message: Ask): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
    else this.waiting.push(message);
  }

  /** Numbers of a gesture, newest wins: nothing is sent while the line is busy with older ones. */
  send(numbers: Float32Array<ArrayBuffer>): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(numbers);
  }

  private open(): void {
    const socket = new WebSocket(`ws://${location.host}/live?token=${encodeURIComponent(token)}`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.tries = 0;
      this.connected(true);
      for (const message of this.waiting.splice(0)) socket.send(JSON.stringify(message));
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => {
      if (typeof event.data === "string") this.told(JSON.parse(event.data) as Tell);
      else this.brought(unpacked(event.data));
    };
    socket.onclose = () => {
      this.connected(false);
      this.tries += 1;
      setTimeout(() => this.open(), Math.min(250 * this.tries, 3000));
    };
  }
}

export function unpacked(buffer: ArrayBuffer): Arrays {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as {
    arrays: { name: string; kind: "f32" | "i32"; shape: number[] }[];
  };
  const arrays: Arrays["arrays"] = {};
  let at = 4 + length;
  for (const { name, kind, shape } of header.arrays) {
    const count = shape.reduce((product, size) => product * size, 1);
    const data = kind === "f32" ? new Float32Array(buffer, at, count) : new Int32Array(buffer, at, count);
    arrays[name] = { data, shape };
    at += 4 * count;
  }
  return { header: header as unknown as Record<string, unknown>, arrays };
}

async function answered(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...init, headers: { "X-Komadori-Token": token } });
  if (!response.ok) {
    const said = (await response.json().catch(() => ({}))) as { message?: string };
    throw new Error(said.message ?? `${path}: ${response.status}`);
  }
  return response;
}

export async function bytes(path: string): Promise<ArrayBuffer> {
  return (await answered(path)).arrayBuffer();
}

export async function shelf(): Promise<Shelf> {
  return (await answered("api/shelf")).json() as Promise<Shelf>;
}

export async function formats(): Promise<Formats> {
  return (await answered("api/formats")).json() as Promise<Formats>;
}

/** Sends files that belong together (a model and its textures) in one piece. */
export async function drop(files: { name: string; file: File }[]): Promise<Dropped> {
  const header = new TextEncoder().encode(
    JSON.stringify({ files: files.map(({ name, file }) => ({ name, size: file.size })) }),
  );
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, header.length, true);
  const body = new Blob([size, header, ...files.map(({ file }) => file)]);
  return (await answered("api/drop", { method: "POST", body })).json() as Promise<Dropped>;
}
