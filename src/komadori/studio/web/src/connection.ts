// The live line to the server, and what is fetched from it. The token stands in the page's address.

import { packedHand, unpacked } from "./binary";
import type { Arrays, Ask, Dropped, ErrorMessage, Formats, HandInput, MethodItem, Methods, Shelf, Tell } from "./generated";
import { state } from "./state";

const token = new URLSearchParams(location.search).get("token") ?? "";

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

  /** Where the hand is: of use only now, so that nothing waits for a line that is not open. */
  send(input: HandInput): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(packedHand(input));
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

async function answered(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...init, headers: { "X-Komadori-Token": token } });
  if (!response.ok) {
    const said = (await response.json().catch(() => ({}))) as Partial<ErrorMessage>;
    throw new Error((state.language === "ja" && said.ja) || said.message || `${path}: ${response.status}`);
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

/** The methods that have a tab. */
export async function methods(): Promise<MethodItem[]> {
  return ((await (await answered("api/methods")).json()) as Methods).items;
}

/** Sends files that belong together (a model and its textures) in one piece. */
export async function drop(files: { name: string; file: File }[]): Promise<Dropped> {
  const header = new TextEncoder().encode(JSON.stringify({ files: files.map(({ name, file }) => ({ name, size: file.size })) }));
  const size = new Uint8Array(4);
  new DataView(size.buffer).setUint32(0, header.length, true);
  const body = new Blob([size, header, ...files.map(({ file }) => file)]);
  return (await answered("api/drop", { method: "POST", body })).json() as Promise<Dropped>;
}
